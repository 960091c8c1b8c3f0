/**
 * Serves any MCP server in both eras of Streamable HTTP, behind one fetch-style handler.
 * @module
 */
export { createMcpMount } from './create-mcp-mount.ts';
export type { McpMount, McpMountOptions, MountedRequest } from './create-mcp-mount.ts';
