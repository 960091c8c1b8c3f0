export { readJsonFile, type JsonFile } from './json-file.ts';
export { readMcpConfig, type McpConfigEntry } from './mcp-config.ts';
export { killAllStdioChildren } from './process-group.ts';
export { createStdioTransport } from './stdio-transport.ts';
export { createNodeTransports } from './transports.ts';
