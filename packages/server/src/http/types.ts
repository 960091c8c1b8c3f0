import type { HttpBindings } from '@hono/node-server';
import type { MissingRole, Clock, IdSource, JsonObject, Owner, Principal } from '@toolyard/protocol';
import { SCOPES } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';
import type { Context } from 'hono';
import type { RoleCapabilities } from '../roles/role.ts';
import type { CallPolicy } from '../models/call-limit.ts';
import type { Proxy } from '../proxy/proxy.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import type { Configurations, LiveHub, LiveStreams, Models, RunService, Servers } from '../services.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { TabToolBroker } from '../tabs/tab-tool-broker.ts';

/** What the HTTP door works with. */
export type HttpAppOptions = {
  storage: SharedStorage;
  runs: RunService;
  tabs: TabToolBroker;
  hub: LiveHub;
  streams: LiveStreams;
  models: Models;
  /** Decides on single calls of models; absent: so many at once. */
  callPolicy?: CallPolicy;
  /** Told of single calls; absent: nobody asked for traces. */
  telemetry?: Pick<Telemetry, 'watch'>;
  servers: Servers;
  webhooks: Webhooks;
  configurations: Configurations;
  clock: Clock;
  ids: IdSource;
  security: SecurityOptions;
  /** Null where it is switched off. */
  proxy: Proxy | null;
  /** What this process is there for: without `door` it answers those who watch it, and nobody else. */
  duties?: RoleCapabilities;
  ui: UiOptions;
  /** Numbers of this process; null where nobody asked for them to be told. */
  metrics: (() => Promise<string>) | null;
  /** False until the runs of the last process have been taken up; `/ready` tells it. */
  ready: () => boolean;
  /** Parts of the work that no process does at the moment; without it all of it is done here. */
  absentRoles?: () => Promise<MissingRole[]>;
  /** True for an MCP server that only a process with the role `tools` can run, where there are roles. */
  isProgram?: (serverId: string) => boolean;
  /** One line for whoever runs the server. */
  log: (line: string) => void;
};

export type SecurityOptions = {
  /** What the server was told to listen on: a name given there may be used to reach it. */
  host: string;
  /** Further names it is reached by, as `name` or `name:port`. */
  allowHosts: readonly string[];
  /** Tokens that hold all scopes. Null: no credential is needed, and every request is the owner's (`--no-token`). */
  tokens: readonly AccessToken[] | null;
  /** Sign URLs of files: the first key signs, the others were in use before. The same in all processes. */
  urlKeys: () => Promise<readonly [string, ...string[]]>;
};

export type AccessToken = { token: string; principal: Owner; via?: 'token' | 'terminal' };

export type UiOptions = {
  enabled: boolean;
  /** What the owner set for the page; `/props` tells it. */
  settings: JsonObject;
  /** The built page; null where this installation has none. */
  folder: string | null;
};

/** The only owner, until there are several. */
export const OWNER: Owner = { ownerId: 'owner' };

/** Who makes a request to a server that requires no credential. */
export const ANONYMOUS: Principal = { ...OWNER, via: 'open', scopes: SCOPES };

export type AppEnv = { Bindings: HttpBindings };
export type AppContext = Context<AppEnv>;
