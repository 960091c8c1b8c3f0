import type { OAuthSettings } from './oauth/oauth-settings.ts';
import type { SignInHealth } from './oauth/sign-in-health.ts';
import type {
  CompleteMcpArgument,
  ErrorInfo,
  JsonObject,
  McpCompletion,
  McpFilledPrompt,
  McpIsolation,
  McpPromptView,
  McpResourceView,
  McpTemplateView,
  TaskHandle,
  ToolDefinition,
  ToolReference,
  ToolResult,
} from '@toolyard/protocol';
import type { AskedQuestion, QuestionHandlers } from './questions/questions.ts';
import type { SandboxSettings } from './host/sandbox-settings.ts';
import type { HostedConfig } from './hosted/hosted-config.ts';

/** How a server is reached. */
export type TransportConfig =
  | {
      type: 'stdio';
      command: string;
      args?: string[];
      env?: Record<string, string>;
      cwd?: string;
      /** Without it the server runs outside of any sandbox. */
      sandbox?: SandboxSettings | false;
    }
  /** Streamable HTTP; a server that only knows the older HTTP+SSE is found out and spoken to over that. */
  | { type: 'http'; url: string; headers?: Record<string, string> }
  /** HTTP+SSE of 2024-11-05, and nothing else. */
  | { type: 'sse'; url: string; headers?: Record<string, string> }
  /** `ws:` or `wss:`, subprotocol `mcp`. Browsers can send no headers with it. */
  | { type: 'websocket'; url: string; headers?: Record<string, string> }
  /** Made by a service when it is wanted, then reached over Streamable HTTP. */
  | HostedConfig
  /** A server that lives in this process; the owner of the transports knows it by this name. */
  | { type: 'in-memory'; name: string };

export type ServerConfig = {
  /** Chosen by the owner; the first half of every tool reference. */
  id: string;
  transport: TransportConfig;
  /** True only for what Toolyard ships and registers itself. */
  builtIn?: boolean;
  /** Not connected by {@link McpHost.connectAll}; who asks for it by name still gets it. */
  disabled?: boolean;
  /** The owner vouches for what it says of its tools: a call it calls read-only may be repeated. */
  trusted?: boolean;
  /** By its own names: tools that are not offered, and, where `only` is there, the only ones that are. */
  tools?: { disabled?: readonly string[]; only?: readonly string[] };
  /** Milliseconds a call may take without a sign of progress; default 60,000. */
  callTimeoutMs?: number;
  /** Milliseconds from nothing to a listed server; default 30,000, and 300,000 for a launcher such as `npx`. */
  connectTimeoutMs?: number;
  /**
   * `one`: it has one connection, also where it asks and several conversations call it; they wait for one another then.
   * By default (`auto`) every conversation gets a connection of its own where that is needed.
   */
  processes?: 'auto' | 'one';
  /** How many calls may be in flight at once, over all its connections; by default as many as there are. */
  maxConcurrentCalls?: number;
  /** What there is to say about signing in to it. */
  oauth?: OAuthSettings;
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

/** See `docs/mcp-host.md` for what leads from one to the other. */
export type ServerState = 'idle' | 'connecting' | 'ready' | 'reconnecting' | 'failed' | 'needs_sign_in' | 'disabled';

/** Something a server listed that cannot be used, and why, for a person to read. */
export type SkippedItem = { name: string; reason: string };

/** An `https:` or `data:image/` address. */
export type ServerIcon = { src: string; mimeType?: string; sizes?: string[]; theme?: 'light' | 'dark' };

/** A resource as its server lists it. */
export type ListedResource = McpResourceView & { icons?: ServerIcon[] };

/** Resources whose address is made from arguments (RFC 6570). */
export type ListedTemplate = McpTemplateView & { icons?: ServerIcon[] };

export type PromptArgument = McpPromptView['arguments'][number];

/** A prompt as its server lists it. */
export type ListedPrompt = Omit<McpPromptView, 'serverId'> & { icons?: ServerIcon[] };

/** A prompt filled in: messages for a conversation, roles and kinds kept. */
export type FilledPrompt = McpFilledPrompt;

/** What an argument is completed for. */
export type CompletionTarget = CompleteMcpArgument['target'];

export type Completion = McpCompletion;

/** From least to most urgent. */
export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';

/** A server as a person sees it. */
export type ServerHealth = {
  id: string;
  state: ServerState;
  /** Of the connection of the moment, or the last one. */
  phase: ConnectionPhase;
  /** When each phase of it began, in milliseconds since 1970. */
  phases: { phase: ConnectionPhase; at: number }[];
  /**
   * While a launcher (`npx`, `uvx`, `docker`, …) has not answered yet, which usually means that it downloads: since
   * when (milliseconds since 1970), and the last lines of its standard error.
   */
  launch?: { launcher: string; since: number; stderr: readonly string[] };
  /** Of a stdio server that was started: how it is isolated. */
  isolation?: McpIsolation;
  /** While `reconnecting`: which attempt this is or will be, and, while waiting, when it begins. */
  reconnect?: { attempt: number; of: number; at?: number };
  toolCount: number;
  /** Absent until they are listed, which nobody waits for. */
  resourceCount?: number;
  promptCount?: number;
  era?: Era;
  protocolVersion?: string;
  serverInfo?: { name: string; version: string; title?: string };
  instructions?: string;
  error?: ErrorInfo;
  /** It asks without saying for which call: each conversation has a connection of its own. */
  interactive?: true;
  /** What it offers beside tools. */
  capabilities?: { resources: boolean; subscribe: boolean; prompts: boolean; completions: boolean; logging: boolean };
  /** Of a server one may sign in to: how that stands. */
  signIn?: SignInHealth;
  /** What it listed and could not be read, with the reason. */
  skipped: SkippedItem[];
  /** What happened, oldest first; bounded. */
  log: LogEntry[];
};

export type ToolProgress = {
  progress: number;
  total?: number;
  text?: string;
  /**
   * Set while the call waits for its turn and was not sent yet: the conversations whose calls it waits for, as far as
   * they are of the same principal. The next progress without it says that the wait is over.
   */
  waitsFor?: string[];
};

export type McpRequestOptions = {
  /** Aborted with {@link CONTINUES_ELSEWHERE}, it leaves a task to whoever has its handle. */
  signal?: AbortSignal;
  onProgress?: (progress: ToolProgress) => void;
  /** Overrides the server's own {@link ServerConfig.callTimeoutMs}. */
  timeoutMs?: number;
};

/**
 * On whose behalf a call is made. Servers are not told of it; it decides who may see what a server asks, and which
 * calls share a connection of a server that asks.
 */
export type Caller = {
  /** What a server asks is never shown to another one. Absent where there is only one. */
  principal?: string;
  conversationId?: string;
};

export type CallToolOptions = McpRequestOptions & {
  /** Without it a call belongs to no conversation. */
  caller?: Caller;
  /** Answer what the server asks in the middle of this call, in place of the handlers of the host. */
  handlers?: QuestionHandlers;
  /**
   * Takes a round of questions instead of the handlers, where the server need not be kept waiting for the answers: the
   * call then ends with the error `input_required`, and is made again with `resume`.
   */
  onRound?: (round: InputRound) => void;
  /** What was answered to the round an earlier making of this call ended with. */
  resume?: AnsweredRound;
  /**
   * Told when the server has made a task of the call, before it is waited for: with the handle, another process can
   * go on waiting ({@link ToolHost.resumeTask}).
   */
  onTask?: (handle: TaskHandle) => void | Promise<void>;
  /** What the run calls this call: for a host that hands it on to somebody else. */
  callId?: string;
  /** Call the tool only if {@link McpHost.definitionOf} still gives this: a person has approved just that. */
  definition?: string;
};

/** What a server wants to know before it goes on with a call: plain JSON, to be kept as long as the answer takes. */
export type InputRound = {
  /** How many rounds were before it, in all makings of the call. */
  number: number;
  /** By the server's own keys. */
  asked: { key: string; question: AskedQuestion }[];
  /** What needed no person. */
  answered: JsonObject;
  /** Goes back byte for byte; may hold what is nobody's business. */
  state?: string;
  /** The call was refused until a person has been at the addresses asked about; no answers are sent with the next one. */
  refused?: true;
};

export type AnsweredRound = { number: number; responses?: JsonObject; state?: string };

/** A model-facing name resolved. */
export type IndexedTool = ToolDefinition & {
  icons?: ServerIcon[];
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
  /**
   * Waits for the result of a call that has become a task, as {@link ToolHost.callTool} does: without making the call.
   * A server that no longer knows it, or cannot be asked, leaves its outcome unknown.
   */
  resumeTask(handle: TaskHandle, options?: CallToolOptions): Promise<ToolResult>;
}
