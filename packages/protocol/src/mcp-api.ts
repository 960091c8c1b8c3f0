import type { ErrorInfo } from './errors.ts';
import type { ToolChange } from './interrupts.ts';
import type { JsonObject } from './json.ts';
import type { ResourcePart, ToolContentPart } from './parts.ts';
import type { ToolAnnotations, ToolReference } from './tools.ts';

/**
 * What goes over `/api/mcp`: the MCP servers, how they are, what they offer, and how they are changed. Times are
 * milliseconds since 1970.
 */

export type McpServerState = 'idle' | 'connecting' | 'ready' | 'reconnecting' | 'needs_sign_in' | 'failed' | 'disabled';

export type McpPhase =
  | 'transport_creating'
  | 'transport_ready'
  | 'initializing'
  | 'capabilities_exchanged'
  | 'listing'
  | 'connected'
  | 'error'
  | 'disconnected';

/** What a sandbox refused: a host, or a file or folder. */
export type McpBlockedAccess = { kind: 'host' | 'path'; target: string };

/** How a local server (stdio) is isolated from the rest of the machine. */
export type McpIsolation =
  | {
      kind: 'sandboxed';
      network: 'on' | 'off' | 'hosts';
      /** What it tried and the sandbox refused. */
      blocked: McpBlockedAccess[];
      /** Paths in its arguments that it cannot see. */
      proposed: string[];
    }
  /** It can read what the account of Toolyard can read. */
  | { kind: 'unsandboxed' }
  /** The same, although its entry asks for a sandbox: the system has none. */
  | { kind: 'unavailable'; reason: string; hint: string }
  /** Docker isolates it, as far as these flags let it. `exposed`: they give it the machine. */
  | { kind: 'docker'; flags: string[]; exposed: boolean };

/** The highest `maxConcurrentCalls` of a server. */
export const MAX_CONCURRENT_CALLS = 1_000;

/** How a server is reached, for people: no arguments, no environment, no headers, nothing that may be a key. */
export type McpTransportView = { type: 'stdio'; command: string } | { type: 'http' | 'sse' | 'websocket'; url: string };

export type McpCapabilities = {
  resources: boolean;
  subscribe: boolean;
  prompts: boolean;
  completions: boolean;
  logging: boolean;
};

/** How many of each a server offers; absent until they are listed. */
export type McpOffers = { tools: number; resources?: number; templates?: number; prompts?: number };

/** What a server says of itself. */
export type McpIntroduction = {
  serverInfo?: { name: string; version: string; title?: string };
  era?: 'legacy' | 'modern';
  protocolVersion?: string;
  instructions?: string;
  capabilities?: McpCapabilities;
};

export type McpServerView = McpIntroduction & {
  id: string;
  state: McpServerState;
  /** Its own default; a conversation may choose otherwise. */
  enabled: boolean;
  builtIn: boolean;
  /** Set where the owner believes what it says of its tools: `"trusted": true` in `mcp.json`. */
  trusted?: true;
  origin: 'built-in' | 'file' | 'flag';
  /** True where it can be edited and removed here: what stands in `mcp.json`. */
  editable: boolean;
  /** Null where its entry cannot be read. */
  transport: McpTransportView | null;
  /** Set where its entry in `mcp.json` cannot be read: it is not connected, `error` says why. */
  fault?: { file: string; line: number };
  /**
   * Set while its entry in `mcp.json` is not the one that was approved: it is not started. `isNew`: nothing was ever
   * approved under this id.
   */
  approval?: { hash: string; isNew: boolean };
  error?: ErrorInfo;
  /** The phases of the connection of the moment, or of the last one, and when each began. */
  phases: { phase: McpPhase; at: number }[];
  /** While a launcher (`npx`, `uvx`, …) has not answered yet: since when, and the last lines of its standard error. */
  launch?: { launcher: string; since: number; stderr: string[] };
  /** While `reconnecting`: which attempt this is or will be, and, while waiting, when it begins. */
  reconnect?: { attempt: number; of: number; at?: number };
  /** Of a server one may sign in to: how that stands. */
  signIn?: McpSignInView;
  offers: McpOffers;
  /** What the definitions of its tools cost in every request, estimated in tokens; those switched off cost nothing. */
  tokens: number;
  tools: McpToolView[];
  skipped: { name: string; reason: string }[];
  /** It sends requests without saying for which call: each conversation has a connection of its own. */
  interactive?: true;
  /** Of a local server (stdio): how it is isolated; before its first start, what its entry asks for. */
  isolation?: McpIsolation;
  /** The end of its log; the whole of it is at `/log`. */
  log: { at: number; level: 'info' | 'warning' | 'error'; text: string }[];
};

/** How the sign-in to a server stands. */
export type McpSignInView = {
  state: 'signed_out' | 'signing_in' | 'signed_in';
  /** Who asks for the password, or did. */
  issuer?: string;
  /** What Toolyard may do there; words with spaces between. */
  scope?: string;
  /** What is to be given with the next sign-in, where the server has said so. */
  wanted?: string;
  /** Of the last sign-in or renewal, oldest first: each request and what came of it. */
  hops: { at: number; step: string; request: string; status?: number; said?: string }[];
};

/** `POST /api/mcp/servers/:id/sign-in`: where a person has to go. */
export type McpSignInStarted = { url: string; issuer: string };

export type McpToolView = {
  tool: ToolReference;
  /** What models call it by. */
  name: string;
  title?: string;
  description?: string;
  readOnly: boolean;
  /** What its server says it may do, where it says anything. */
  annotations?: ToolAnnotations;
  permission: 'allow' | 'never' | null;
  /** It was approved, and is not what it was then: it is asked about again, whatever is allowed. */
  changed?: ToolChange;
  /** Its own default; false for one that is switched off for every conversation. */
  enabled: boolean;
  /** What its definition costs in every request, estimated in tokens. */
  tokens: number;
};

/** A tool with its schemas. */
export type McpToolDetail = McpToolView & { inputSchema: JsonObject; outputSchema?: JsonObject };

/** All servers; `file` is set where `mcp.json` as a whole cannot be read: what it said before still counts then. */
export type McpServerList = { items: McpServerView[]; fileFault?: ErrorInfo };

/**
 * The entry of a local server that needs approval, since it was written neither by the page nor by the CLI. `text` is
 * everything in it that decides what is started, environment included, with hidden characters written out; `hash`
 * stands for it.
 */
export type McpEntryApproval = {
  id: string;
  file: string;
  line: number;
  text: string;
  hash: string;
  isNew: boolean;
};

/** Approves the entry whose text has this hash, and no other. */
export type ApproveMcpEntry = Pick<McpEntryApproval, 'hash'>;

/**
 * Enabled local servers (stdio) that run without a sandbox: they can read what the account of Toolyard can read. Mode
 * `auto` counts only while none is `unconfirmed`; otherwise calls are asked about as in mode `allow-list`.
 */
export type UnsandboxedServers = { servers: string[]; unconfirmed: string[] };

/** Confirms mode `auto` beside these servers. */
export type ConfirmUnsandboxed = { servers: string[] };

/** Switches a server, or some of its tools by their own names; what is absent stays. */
export type ChangeMcpServer = { enabled?: boolean; tools?: Record<string, boolean> };

/**
 * A value that may be a secret. What is stored is told as `{ "secret": true }`, and sent back so it stays what it is;
 * one that only refers to a secret (`${env:NAME}`, `Bearer ${env:NAME}`) is told as it is written.
 */
export type McpSecretValue = string | { secret: true };

/** What a sandboxed local server may reach beyond its own folders. */
export type McpSandbox = {
  /** Files and folders it may read. */
  read?: string[];
  /** Folders it may change. */
  write?: string[];
  /** Everything (the default), nothing, or HTTP(S) to these hosts: `example.com`, `*.example.com`, `example.com:8443`. */
  network?: 'on' | 'off' | string[];
  /** `browser`: the server starts a browser. */
  profile?: 'browser';
};

/** A transport as `mcp.json` has it: `${env:NAME}` stands as it was written. */
export type McpTransport =
  | {
      type: 'stdio';
      command: string;
      args?: string[];
      env?: Record<string, McpSecretValue>;
      /** A file of `NAME=value` lines, as editors have it. */
      envFile?: string;
      cwd?: string;
      /** Absent: a new server gets the default (`true`), one that is changed keeps what it has. */
      sandbox?: boolean | McpSandbox;
    }
  | { type: 'http' | 'sse' | 'websocket'; url: string; headers?: Record<string, McpSecretValue> }
  | {
      /** A service makes it when it is wanted. */
      type: 'hosted';
      service: 'klavis';
      /** As the service calls it, such as `Gmail`. */
      server: string;
      apiKey: McpSecretValue;
      /** For whom of the key's users it is made. */
      user?: string;
      /** Where the service is, if it is not the public one. */
      url?: string;
    };

/** What an editor changes of a server. */
export type EditMcpServer = {
  transport: McpTransport;
  enabled?: boolean;
  /** By the server's own names; the list takes the place of the one before. */
  disabledTools?: string[];
  /** Milliseconds a call may take without a sign of progress; null: the usual 60,000. */
  callTimeoutMs?: number | null;
  /** Milliseconds from nothing to a listed server; null: the default (30,000; 300,000 for a launcher such as `npx`). */
  connectTimeoutMs?: number | null;
  /** `one`: one connection for all conversations; null: the default, `auto`. */
  processes?: 'auto' | 'one' | null;
  /** How many calls may be in flight at once; null: no limit. */
  maxConcurrentCalls?: number | null;
};

export type AddMcpServer = EditMcpServer & { id: string };

/** A server as it stands in `mcp.json`, for an editor. */
export type McpServerConfiguration = {
  id: string;
  /** Null where the entry cannot be read: `fault` says why. */
  transport: McpTransport | null;
  fault?: { line: number; message: string };
  enabled: boolean;
  disabledTools: string[];
  callTimeoutMs: number | null;
  connectTimeoutMs: number | null;
  processes: 'auto' | 'one' | null;
  maxConcurrentCalls: number | null;
};

/**
 * Connects beside the servers that run, and stores nothing: to the server of this id as it is configured, to this
 * transport, or to the transport with the stored secrets of that server.
 */
export type TestMcpServer = { id?: string; transport?: McpTransport };

/** Something about a server that its users or its author should know. */
export type McpFinding = {
  /** `warning`: something will not work, or costs; `note`: could be better. */
  level: 'warning' | 'note';
  /** The tool, prompt or resource it is about. */
  about?: string;
  text: string;
};

export type McpTestReport = McpIntroduction & {
  ok: boolean;
  transport: McpTransportView;
  /** From nothing to a listed server, or to the failure. */
  durationMs: number;
  /** Each phase with how long it took. */
  phases: { phase: McpPhase; durationMs: number }[];
  offers: McpOffers;
  /** Estimated cost of all tool definitions in every request. */
  tokens: number;
  /** The tools, the most costly first. */
  tools: { name: string; title?: string; tokens: number; readOnly: boolean }[];
  skipped: { name: string; reason: string }[];
  findings: McpFinding[];
  error?: ErrorInfo;
  log: { at: number; level: 'info' | 'warning' | 'error'; text: string }[];
};

/** A line of a server's log: something that happened, or a message that went over the wire, cut and without secrets. */
export type McpLogEntry =
  | { id: string; kind: 'event'; at: number; phase: McpPhase; level: 'info' | 'warning' | 'error'; text: string }
  | {
      id: string;
      kind: 'message';
      at: number;
      direction: 'sent' | 'received';
      message: 'request' | 'notification' | 'result' | 'error';
      method?: string;
      requestId?: string | number;
      /** JSON, or the beginning of it. */
      text: string;
    };

/** Oldest first. `next`, given back as `after`, asks for what came since; it is there also where nothing did. */
export type McpLogPage = { items: McpLogEntry[]; next: string };

export type CallMcpTool = { tool: string; arguments?: JsonObject };

export type McpResourceView = {
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  /** In bytes. */
  size?: number;
  audience?: ('user' | 'assistant')[];
  priority?: number;
  lastModified?: string;
};

/** Resources whose address is made from arguments (RFC 6570). */
export type McpTemplateView = {
  uriTemplate: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
};

export type ReadMcpResource = { uri: string };
export type McpResourceContents = { contents: ResourcePart[] };

export type McpPromptView = {
  serverId: string;
  name: string;
  title?: string;
  description?: string;
  arguments: { name: string; title?: string; description?: string; required: boolean }[];
};

/** The prompts of all servers that are ready, and those that could not be asked. */
export type McpPromptList = { items: McpPromptView[]; failures: { serverId: string; error: ErrorInfo }[] };

export type GetMcpPrompt = { name: string; arguments?: Record<string, string> };

/** A prompt filled in: messages for a conversation, roles and kinds kept. */
export type McpFilledPrompt = {
  description?: string;
  messages: { role: 'user' | 'assistant'; content: ToolContentPart }[];
};

/** Completes one argument of a prompt or of a resource template; `others` are filled in already. */
export type CompleteMcpArgument = {
  target: { prompt: string } | { uriTemplate: string };
  argument: { name: string; value: string };
  others?: Record<string, string>;
};

export type McpCompletion = { values: string[]; total?: number; hasMore: boolean };
