import type { Implementation } from '@modelcontextprotocol/client';
import type { Clock, ErrorInfo, Fetch, ToolOrigin } from '@toolyard/protocol';
import type { AuthStore } from '../oauth/auth-store.ts';
import type { ClientMetadata } from '../oauth/client-identity.ts';
import type { EraMemory } from '../connection/era-memory.ts';
import type { QuestionHandlers } from '../questions/questions.ts';
import type { CreateTransport } from '../transports/transport.ts';
import type { PinStore } from '../catalogue/trust.ts';
import type { ListedTool } from '../catalogue/read-tool.ts';
import type { ListedPrompt, ListedResource, ListedTemplate, LogEntry, LogLevel, ServerConfig } from '../types.ts';

/** What it takes to sign in to servers (OAuth 2.1). */
export type SignInOptions = {
  store: AuthStore;
  /**
   * Carries the requests of a sign-in to a server. The addresses are what that server and its sign-in server name: the
   * owner's guard belongs in front of it.
   */
  fetchFor(server: ServerConfig): Fetch;
  /** How Toolyard introduces itself; its name in `clientInfo` where absent. */
  introduction?: ClientMetadata;
};

export type McpHostOptions = {
  servers: readonly ServerConfig[];
  /** The origin of its tools: `tab` for the host of a browser tab; default `server`. */
  origin?: ToolOrigin;
  createTransport: CreateTransport;
  clock: Clock;
  /** How Toolyard introduces itself to servers. */
  clientInfo: Implementation;
  /** Where the protocol generation of each server is remembered; by default in memory. */
  eraMemory?: EraMemory;
  /** Who answers what servers ask; what has no handler is not offered to them. */
  handlers?: QuestionHandlers;
  /** How often in a row a lost server is connected again; default 10. */
  maxReconnects?: number;
  /** 0 up to 1: how much of its share chance takes off a wait. Default `Math.random`. */
  jitter?: () => number;
  /** From which level on servers are to log what they do; by default as they like. */
  logLevel?: LogLevel;
  /** How many of the last messages exchanged with each server are kept to be looked at; default 200. */
  wireMessages?: number;
  /** Without this nobody is signed in to servers; a token may still stand in their headers. */
  signIn?: SignInOptions;
  /** What people approved of tools, kept by the owner; by default for as long as the process lives. */
  pins?: PinStore;
  /** Hears every log line of every server as it is written. */
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
