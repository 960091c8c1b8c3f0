export type {
  CallToolOptions,
  ConnectionPhase,
  Era,
  IndexedTool,
  LogEntry,
  ServerConfig,
  ServerHealth,
  ServerState,
  ToolHost,
  ToolProgress,
  TransportConfig,
} from './types.ts';
export type { EraMemory, EraRecord } from './era-memory.ts';
export { createEraMemory } from './era-memory.ts';
export type { CreateTransport, HostTransport, TransportContext, TransportEnd } from './transport.ts';
export type { WebTransportsOptions } from './web-transports.ts';
export { createWebTransports } from './web-transports.ts';
export type { OpenWebSocket, WebSocketLike } from './websocket-transport.ts';
export type { ServeInMemory } from './in-memory-transport.ts';
export type { ConnectionOptions } from './connection.ts';
export { McpConnection } from './connection.ts';
export type { ListedTool } from './read-tool.ts';
export type { ServerTools } from './tool-index.ts';
export { ToolIndex } from './tool-index.ts';
export type { McpHostOptions } from './host.ts';
export { McpHost } from './host.ts';
