import type { HttpBindings } from '@hono/node-server';
import type { MissingRole, Clock, IdSource, JsonObject, Owner, Principal } from '@toolyard/protocol';
import { SCOPES } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';
import type { Context } from 'hono';
import type { InterventionOptions } from '@toolyard/agent-runtime';
import type { RoleCapabilities } from '../roles/role.ts';
import type { CallPolicy } from '../models/call-limit.ts';
import type { Proxy } from '../proxy/proxy.ts';
import type { MediaSettings } from '../built-in/media/media-settings.ts';
import type { Skills } from '../built-in/skills/skills.ts';
import type { WebSettings } from '../built-in/web/web-settings.ts';
import type { Schedules } from '../schedules/schedules.ts';
import type { Triggers } from '../triggers/triggers.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import type { Configurations, LiveHub, LiveStreams, Models, RunService } from '../services.ts';
import type { Servers } from '../mcp/operations.ts';
import type { Iframes } from '../iframes/iframes.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { TabToolBroker } from '../tabs/tab-tool-broker.ts';

/** Dependencies of the HTTP application. */
export type HttpAppOptions = {
  storage: SharedStorage;
  runs: RunService;
  tabs: TabToolBroker;
  hub: LiveHub;
  streams: LiveStreams;
  models: Models;
  /** Admits single model calls; absent: a fixed number of concurrent calls. */
  callPolicy?: CallPolicy;
  /** Observes single calls for traces; absent if tracing is disabled. */
  telemetry?: Pick<Telemetry, 'watch'>;
  servers: Servers;
  /** Toolyard's own paths, and the resolution of symbolic links, for checks of calls. */
  policy?: () => NonNullable<InterventionOptions['callContext']>;
  webhooks: Webhooks;
  schedules: Schedules;
  triggers: Triggers;
  webTools: Pick<WebSettings, 'get' | 'set'>;
  mediaTools: MediaSettings;
  skills: Pick<Skills, 'list' | 'get' | 'file' | 'change'>;
  configurations: Configurations;
  clock: Clock;
  ids: IdSource;
  security: SecurityOptions;
  /** Null if disabled. */
  proxy: Proxy | null;
  /** Roles of this process: a process without the API serves monitoring routes only. */
  capabilities?: RoleCapabilities;
  ui: UiOptions;
  /** Documents of frames and their origin. */
  frames: Iframes;
  /** Metrics of this process; null if disabled. */
  metrics: (() => Promise<string>) | null;
  /** False until the runs of the last process were recovered; reported by `/ready`. */
  ready: () => boolean;
  /** Roles that no process has now; absent if this process has all roles. */
  absentRoles?: () => Promise<MissingRole[]>;
  /** True for an MCP server that only a process with the role `tools` can run, if processes have roles. */
  isProgram?: (serverId: string) => boolean;
  /** Receives one line for the operator. */
  log: (line: string) => void;
};

export type SecurityOptions = {
  /** The configured host name or address; a name may be used to reach the server. */
  host: string;
  /** Additional host names, as `name` or `name:port`. */
  allowHosts: readonly string[];
  /** Tokens with all scopes. Null: no credential is required, and every request is the owner's (`--no-token`). */
  tokens: readonly AccessToken[] | null;
  /** Keys for signed URLs of files: the first signs, the others verify older URLs. The same in all processes. */
  urlKeys: () => Promise<readonly [string, ...string[]]>;
};

export type AccessToken = { token: string; principal: Owner; via?: 'token' | 'terminal' };

export type UiOptions = {
  enabled: boolean;
  /** Settings that the operator configured for the page; served by `/props`. */
  settings: JsonObject;
  /** The built page; null if this installation has none. */
  folder: string | null;
  /** Prints a sign-in link on the machine of the server. */
  signInCommand: string;
};

/** The only owner, until several are supported. */
export const OWNER: Owner = { ownerId: 'owner' };

/** The principal of a server that requires no credential. */
export const ANONYMOUS: Principal = { ...OWNER, via: 'open', scopes: SCOPES };

export type AppEnv = { Bindings: HttpBindings };
export type AppContext = Context<AppEnv>;
