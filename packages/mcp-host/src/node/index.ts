export { readJsonFile, type JsonFile } from './json-file.ts';
export { configOf, fillTransport, readMcpConfig, type McpConfigEntry } from './mcp-config.ts';
export { McpConfigFile, type ServerEntry } from './mcp-config-file.ts';
export { killAllStdioChildren } from './process-group.ts';
export { createStdioTransport } from './stdio-transport.ts';
export { createNodeTransports } from './transports.ts';
export { watchConfigFile } from './watch-file.ts';
export { readTransport, type ServerSwitches, type WrittenTransport } from './written-server.ts';
