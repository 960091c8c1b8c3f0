import type { ToolUi } from './apps/app-extension.ts';
import type { OAuthSettings } from './oauth/oauth-settings.ts';
import type { SignInHealth } from './oauth/sign-in-health.ts';
import type {
  CompleteMcpArgument,
  JsonObject,
  JsonValue,
  McpCompletion,
  McpFilledPrompt,
  McpPhase,
  McpPromptView,
  McpResourceView,
  McpServerState,
  McpServerView,
  McpTemplateView,
  TaskHandle,
  ToolDefinition,
  ToolReference,
  ToolResult,
} from '@toolyard/protocol';
import type { InputRequest, ServerRequestHandlers } from './server-requests/answer-request.ts';
import type { SandboxSettings } from './config/sandbox-settings.ts';
import type { HostedConfig } from './hosted/hosted-config.ts';
import type { PluginConfig } from './config/plugin-config.ts';

/** How a server is reached. */
export type TransportConfig =
  | {
      type: 'stdio';
      command: string;
      args?: string[];
      env?: Record<string, string>;
      cwd?: string;
      /** Absent: the server runs without a sandbox. */
      sandbox?: SandboxSettings | false;
      /** Where its folders led, links resolved, when they were approved; absent: anywhere. */
      leadsTo?: Readonly<Record<string, string>>;
    }
  /** Streamable HTTP; falls back to HTTP+SSE for older servers. */
  | { type: 'http'; url: string; headers?: Record<string, string> }
  /** HTTP+SSE of 2024-11-05 only. */
  | { type: 'sse'; url: string; headers?: Record<string, string> }
  /** `ws:` or `wss:` with the subprotocol `mcp`. Browsers cannot send headers with it. */
  | { type: 'websocket'; url: string; headers?: Record<string, string> }
  /** Created by a service on demand, then reached over Streamable HTTP. */
  | HostedConfig
  /** Legacy plugins, adapted to MCP in this process. */
  | PluginConfig
  /** An in-process server, which the owner of the transports has registered under this name. */
  | { type: 'in-memory'; name: string };

/** Name and version of a server, as it reports them. */
export type ServerInfo = { name: string; version: string; title?: string };

/** An MCP server as its owner configured it. */
export type ServerConfig = {
  /** Chosen by the owner; the first half of every tool reference. */
  id: string;
  transport: TransportConfig;
  /** True only for servers that Toolyard ships and registers itself. */
  builtIn?: boolean;
  /** What is known of a built-in server before it is connected. */
  serverInfo?: ServerInfo;
  /** Not connected by {@link McpHost.connectAll}, but on request. */
  disabled?: boolean;
  /** The operator trusts its annotations: a call of a read-only tool may be repeated. */
  trusted?: boolean;
  /** By the server's own names: tools that are not offered, and, if `only` is set, the only ones that are. */
  tools?: { disabled?: readonly string[]; only?: readonly string[] };
  /** Timeout of a call without progress, in milliseconds; default 60,000. */
  callTimeoutMs?: number;
  /**
   * Timeout of connecting and listing tools, in milliseconds; default 30,000, and 300,000 for a launcher such as `npx`.
   */
  connectTimeoutMs?: number;
  /**
   * `one`: a single connection, for which conversations wait if the server sends requests to users. Default `auto`:
   * each conversation gets its own connection if needed.
   */
  processes?: 'auto' | 'one';
  /** The most calls in flight at once, over all its connections; default: unlimited. */
  maxConcurrentCalls?: number;
  /** Sign-in settings. */
  oauth?: OAuthSettings;
};

/** The two eras of MCP: `initialize` (2024-11-05 to 2025-11-25), or stateless (2026-07-28 on). */
export type Era = 'legacy' | 'modern';

/** The phases of a connection, in their order; the last two end it. */
export type ConnectionPhase = McpPhase;

/** An entry of the log of a server. */
export type LogEntry = {
  /** Milliseconds since 1970. */
  at: number;
  phase: ConnectionPhase;
  level: 'info' | 'warning' | 'error';
  text: string;
};

/** For the transitions see `docs/mcp-host.md`. */
export type ServerState = McpServerState;

/** A listed item that cannot be used, with the reason for display. */
export type SkippedItem = { name: string; reason: string };

/** An `https:` or `data:image/` URL. */
export type ServerIcon = { src: string; mimeType?: string; sizes?: string[]; theme?: 'light' | 'dark' };

/** A resource as its server lists it. */
export type ListedResource = McpResourceView & { icons?: ServerIcon[] };

/** Resources whose URIs are built from arguments (RFC 6570). */
export type ListedTemplate = McpTemplateView & { icons?: ServerIcon[] };

/** An argument of a prompt. */
export type PromptArgument = McpPromptView['arguments'][number];

/** A prompt as its server lists it. */
export type ListedPrompt = Omit<McpPromptView, 'serverId'> & { icons?: ServerIcon[] };

/** A prompt with its arguments: messages for a conversation, with roles and content types. */
export type FilledPrompt = McpFilledPrompt;

/** The prompt or template whose argument is completed. */
export type CompletionTarget = CompleteMcpArgument['target'];

/** Values that a server suggests for an argument. */
export type Completion = McpCompletion;

/** From least to most severe. */
export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';

type SharedHealth =
  | 'id'
  | 'state'
  | 'phases'
  | 'launch'
  | 'isolation'
  | 'reconnect'
  | 'era'
  | 'protocolVersion'
  | 'serverInfo'
  | 'instructions'
  | 'error'
  | 'interactive'
  | 'capabilities'
  | 'skipped';

/** The state of a server, for display: the view without its configuration, and what the view derives from. */
export type ServerHealth = Pick<McpServerView, SharedHealth> & {
  /** The phase of the current or last connection. */
  phase: ConnectionPhase;
  toolCount: number;
  /** Absent until listed, in the background. */
  resourceCount?: number;
  promptCount?: number;
  /** The first of its icons that is small enough to be kept. */
  icon?: ServerIcon;
  /** The sign-in state of a server that supports one. */
  signIn?: SignInHealth;
  /** The log, oldest first; bounded. */
  log: LogEntry[];
};

/** Progress of a call, as the server or function reports it. */
export type ToolProgress = {
  progress: number;
  total?: number;
  text?: string;
  /**
   * Set while the call waits for its turn and has not been sent: the conversations whose calls it waits for, as far as
   * they belong to the same principal. The next progress without it ends the wait.
   */
  waitsFor?: string[];
};

/** Options of a request to a server. */
export type McpRequestOptions = {
  /** Abort with {@link CONTINUES_ELSEWHERE} to leave a task running for another holder of its handle. */
  signal?: AbortSignal;
  onProgress?: (progress: ToolProgress) => void;
  /** Overrides {@link ServerConfig.callTimeoutMs}. */
  timeoutMs?: number;
};

/**
 * On whose behalf a call is made. Not sent to servers; it decides who sees a server's requests, and which calls share a
 * connection.
 */
export type Caller = {
  /** A server's requests are never shown to another principal. Absent if there is only one. */
  principal?: string;
  conversationId?: string;
  /** The folders of the conversation as `file:` URIs: the roots of local servers, see `McpHostOptions.callerRoots`. */
  roots?: readonly string[];
};

/** Options of a call of a tool. */
export type CallToolOptions = McpRequestOptions & {
  /** Absent: the call belongs to no conversation. */
  caller?: Caller;
  /** Answer the server's requests during this call, in place of the host's handlers. */
  handlers?: ServerRequestHandlers;
  /**
   * Receives a round of input requests instead of the handlers, if the server does not have to wait for the answers:
   * the call ends with the error `input_required` and is repeated with `resume`.
   */
  onRound?: (round: InputRound) => void;
  /** The answers to the round with which the previous call ended. */
  resume?: InputAnswers;
  /**
   * Called when the call became a task, before polling begins: with the handle another process can continue ({@link
   * ToolHost.resumeTask}).
   */
  onTask?: (handle: TaskHandle) => void | Promise<void>;
  /** Receives the response of the server as it was sent, before it is read. */
  onResponse?: (raw: JsonValue) => void;
  /** The run's id of this call, for a host that passes it on. */
  callId?: string;
  /** Call the tool only if {@link McpHost.definitionOf} still returns this hash, which a user has just approved. */
  definition?: string;
};

/** What a server needs before it continues a call: plain JSON, to be stored until it is answered. */
export type InputRound = {
  /** The number of earlier rounds, over all repetitions of the call. */
  number: number;
  /** By the server's own keys. */
  asked: { key: string; question: InputRequest }[];
  /** The answers that needed no user. */
  answered: JsonObject;
  /** Returned to the server unchanged; may contain secrets. */
  state?: string;
  /** The call was rejected until a user visits these URLs; the next one carries no answers. */
  refused?: true;
};

/** The answers to one round of requests of a server during a call (`input_required`). */
export type InputAnswers = { number: number; responses?: JsonObject; state?: string };

/** A resolved model-facing name. */
export type IndexedTool = ToolDefinition & {
  icons?: ServerIcon[];
  /** Its app, and who may call it; absent if it has nothing to do with apps. */
  ui?: ToolUi;
  /** Null if the arguments match the schema, else the mismatch, written for the model. */
  checkArguments(args: JsonObject): string | null;
};

/** The part of an MCP host that agent-host uses; implemented by {@link McpHost}. */
export interface ToolHost {
  /** Every tool of every ready server, in a stable order. */
  tools(): readonly IndexedTool[];
  /** By model-facing name. */
  resolve(name: string): IndexedTool | undefined;
  /**
   * Makes one call. Never throws for failures of a server or tool: they are results with `isError` and an `outcome`
   * that says whether the call was executed.
   */
  callTool(tool: ToolReference, args: JsonObject, options?: CallToolOptions): Promise<ToolResult>;
  /**
   * Waits for the result of a call that became a task, with the guarantees of {@link ToolHost.callTool} and without
   * repeating the call. If the server no longer knows the task or is unreachable, the outcome is unknown.
   */
  resumeTask(handle: TaskHandle, options?: CallToolOptions): Promise<ToolResult>;
}
