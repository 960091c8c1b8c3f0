/** Functions of the MCP host that need no connection; the module is loaded on demand. */
export { checkArguments, testCall } from '@toolyard/mcp-host';
