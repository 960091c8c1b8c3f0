import type { Implementation } from '@modelcontextprotocol/client';
import type { Clock, ErrorInfo, Fetch, ToolOrigin } from '@toolyard/protocol';
import type { AuthStore } from '../oauth/auth-store.ts';
import type { ClientMetadata } from '../oauth/client-identity.ts';
import type { EraMemory } from '../connection/era-memory.ts';
import type { ServerRequestHandlers } from '../server-requests/answer-request.ts';
import type { CreateTransport } from '../transports/transport.ts';
import type { PinStore } from '../catalogue/trust.ts';
import type { ListedTool } from '../catalogue/read-tool.ts';
import type { ListedPrompt, ListedResource, ListedTemplate, LogEntry, LogLevel, ServerConfig } from '../types.ts';

/** How to sign in to servers (OAuth 2.1). */
export type SignInOptions = {
  store: AuthStore;
  /**
   * The HTTP client of sign-ins. Its URLs come from the server and its authorization server, so use a guarded fetch.
   */
  fetchFor(server: ServerConfig): Fetch;
  /** The `client_name` of client registration; default: the name in `clientInfo`. */
  introduction?: ClientMetadata;
};

/** What an {@link McpHost} needs: servers, transports, clock and client name are required. */
export type McpHostOptions = {
  servers: readonly ServerConfig[];
  /** The origin of its tools: `tab` for the host of a browser tab; default `server`. */
  origin?: ToolOrigin;
  createTransport: CreateTransport;
  clock: Clock;
  /** The client name and version sent to servers. */
  clientInfo: Implementation;
  /** Where the era of each server is remembered; default: in memory. */
  eraMemory?: EraMemory;
  /** Handlers of server requests; a capability without a handler is not declared to servers. */
  handlers?: ServerRequestHandlers;
  /**
   * Declares roots to local servers (stdio): they receive the folders of the conversation (`Caller.roots`). Remote servers
   * cannot open them, and do not receive the paths.
   */
  callerRoots?: true;
  /** How many attempts follow a lost connection or a first attempt that failed; default 10. */
  maxReconnects?: number;
  /** Random number from 0 up to 1 that shortens a wait. Default `Math.random`. */
  jitter?: () => number;
  /** The minimum level servers should log; by default they decide. */
  logLevel?: LogLevel;
  /** How many recent messages per server are kept in the wire log; default 200. */
  wireMessages?: number;
  /** Without it users cannot sign in to servers; headers may still contain a token. */
  signIn?: SignInOptions;
  /** Approved tools; default: a map that lives as long as the process. */
  pins?: PinStore;
  /** Called with every log entry of every server. */
  log?(serverId: string, entry: LogEntry): void;
};

/** The prompts of all connected servers, and the servers whose list failed. */
export type AllPrompts = {
  prompts: (ListedPrompt & { serverId: string })[];
  failures: { serverId: string; error: ErrorInfo }[];
};

/** What one server has listed, in its own order. */
export type ListedOffers = {
  tools: readonly ListedTool[];
  resources: readonly ListedResource[];
  templates: readonly ListedTemplate[];
  prompts: readonly ListedPrompt[];
};
