import type { FunctionTools } from '@toolyard/agent-host';
import type { AuthStore, CreateTransport, ServerConfig } from '@toolyard/mcp-host';
import type { Clock, Owner } from '@toolyard/protocol';
import type { PermissionRepository, SettingsRepository } from '@toolyard/storage';
import type { Secrets } from '../secrets/secrets.ts';
import type { LiveHub } from '../services.ts';
import type { EntryApprovals } from './entry-approvals.ts';

export type ServersOptions = {
  /** Those that ship with Toolyard. */
  builtIn: readonly ServerConfig[];
  /** Function tools of this process, whose servers are among those. */
  functions?: FunctionTools;
  /** The `mcp.json` of the data folder; it need not be there. */
  file: string;
  /** Those of the command line. */
  flags: readonly ServerConfig[];
  env: Readonly<Record<string, string | undefined>>;
  /** Whoever runs this server: the only one who changes its MCP servers. */
  owner: Owner;
  settings: SettingsRepository;
  permissions: Pick<PermissionRepository, 'list' | 'settleOrigins'>;
  /** Where servers that services host are remembered; without it as long as the process lives. */
  secrets?: Pick<Secrets, 'get' | 'names' | 'add' | 'set' | 'remove'>;
  hub: Pick<LiveHub, 'changed'>;
  /** Which local servers of the file may be started; absent: as the settings say. */
  approvals?: EntryApprovals;
  /** Where sign-ins to servers are kept. */
  signIns: AuthStore;
  clock: Clock;
  log: (line: string) => void;
  /** False connects a server only when somebody wants something of it, and follows no changes of the file. */
  eager?: boolean;
  /** Which part of the servers is this process's, where several share them; absent: all of them are. */
  part?: ServersPart;
  /** How long a run waits for servers that are connecting, in milliseconds; default 10 s. */
  patienceMs?: number;
};

/** What a process has to do with servers it shares with others. */
export type ServersPart = {
  /** False: to this process it is as if the server were not there. */
  isThere(config: ServerConfig): boolean;
  /** False as long as another process is connected to it in place of this one. */
  mayConnect(id: string): boolean;
  /** How servers are reached, given how they are where nobody shares them. */
  transports(own: CreateTransport): CreateTransport;
};
