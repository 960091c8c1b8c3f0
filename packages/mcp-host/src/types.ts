import type { ErrorInfo, JsonObject, ToolDefinition, ToolReference, ToolResult } from '@toolyard/protocol';

/** How a server is reached. */
export type TransportConfig =
  | { type: 'stdio'; command: string; args?: string[]; env?: Record<string, string>; cwd?: string }
  /** Streamable HTTP; a server that only knows the older HTTP+SSE is found out and spoken to over that. */
  | { type: 'http'; url: string; headers?: Record<string, string> }
  /** HTTP+SSE of 2024-11-05, and nothing else. */
  | { type: 'sse'; url: string; headers?: Record<string, string> }
  /** `ws:` or `wss:`, subprotocol `mcp`. Browsers can send no headers with it. */
  | { type: 'websocket'; url: string; headers?: Record<string, string> }
  /** A server that lives in this process; the owner of the transports knows it by this name. */
  | { type: 'in-memory'; name: string };

export type ServerConfig = {
  /** Chosen by the owner; the first half of every tool reference. */
  id: string;
  transport: TransportConfig;
  /** True only for what Toolyard ships and registers itself. */
  builtIn?: boolean;
  /** Milliseconds a call may take without a sign of progress; default 60,000. */
  callTimeoutMs?: number;
  /** Milliseconds from nothing to a listed server; default 30,000. */
  connectTimeoutMs?: number;
};

/** The two generations of MCP: `initialize` (2024-11-05 to 2025-11-25), or stateless (2026-07-28 on). */
export type Era = 'legacy' | 'modern';

export type ConnectionPhase =
  | 'transport_creating'
  | 'transport_ready'
  | 'initializing'
  | 'capabilities_exchanged'
  | 'listing'
  | 'connected'
  | 'error'
  | 'disconnected';

export type LogEntry = {
  /** Milliseconds since 1970. */
  at: number;
  phase: ConnectionPhase;
  level: 'info' | 'warning' | 'error';
  text: string;
};

export type ServerState = 'idle' | 'connecting' | 'ready' | 'failed' | 'closed';

/** A server as a person sees it. */
export type ServerHealth = {
  id: string;
  state: ServerState;
  phase: ConnectionPhase;
  toolCount: number;
  era?: Era;
  protocolVersion?: string;
  serverInfo?: { name: string; version: string; title?: string };
  instructions?: string;
  error?: ErrorInfo;
  /** Tools set aside because they could not be read, with the reason. */
  skipped: { name: string; reason: string }[];
  /** What happened, oldest first; bounded. */
  log: LogEntry[];
};

export type ToolProgress = { progress: number; total?: number; text?: string };

export type CallToolOptions = {
  signal?: AbortSignal;
  onProgress?: (progress: ToolProgress) => void;
  /** Overrides the server's own {@link ServerConfig.callTimeoutMs}. */
  timeoutMs?: number;
};

/** A model-facing name resolved. */
export type IndexedTool = ToolDefinition & {
  /** Null if the arguments fit the schema, else what does not, for the model to read. */
  checkArguments(args: JsonObject): string | null;
};

/** What agent-host needs of an MCP host; McpHost is the real one. */
export interface ToolHost {
  /** Every tool of every ready server, in a stable order. */
  tools(): readonly IndexedTool[];
  /** By model-facing name. */
  resolve(name: string): IndexedTool | undefined;
  /**
   * Makes one call. Never throws for what a server or tool does: failures are results with `isError`, and with an
   * `outcome` that says whether the call may have taken effect.
   */
  callTool(tool: ToolReference, args: JsonObject, options?: CallToolOptions): Promise<ToolResult>;
}
