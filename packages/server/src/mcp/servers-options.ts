import type { FunctionTools } from '@toolyard/agent-host';
import type { AuthStore, CreateTransport, ServerConfig } from '@toolyard/mcp-host';
import type { Clock, Owner } from '@toolyard/protocol';
import type { PermissionRepository, SettingsRepository } from '@toolyard/storage';
import type { Secrets } from '../secrets/secrets.ts';
import type { LiveHub } from '../services.ts';
import type { EntryApprovals } from './entry-approvals.ts';

export type ServersOptions = {
  /** Servers that ship with Toolyard. */
  builtIn: readonly ServerConfig[];
  /** Function tools of this process; their servers are in `builtIn`. */
  functions?: FunctionTools;
  /** Path of the `mcp.json` in the data folder; the file may be missing. */
  file: string;
  /** Servers of the command line. */
  flags: readonly ServerConfig[];
  env: Readonly<Record<string, string | undefined>>;
  /** The owner of this server: the only user who may change MCP servers. */
  owner: Owner;
  settings: SettingsRepository;
  permissions: Pick<PermissionRepository, 'list'>;
  /** Storage of hosted servers; without it they are kept for the life of the process. */
  secrets?: Pick<Secrets, 'get' | 'names' | 'add' | 'set' | 'remove'>;
  hub: Pick<LiveHub, 'changed'>;
  /** Which local servers of the file may start; absent: approvals stored in the settings. */
  approvals?: EntryApprovals;
  /** Storage of sign-ins. */
  signIns: AuthStore;
  clock: Clock;
  log: (line: string) => void;
  /** False: connects a server on first use, and does not watch the file. */
  eager?: boolean;
  /** This process's share of the servers, if several processes share them; absent: all servers. */
  ownership?: ServerOwnership;
  /** How long a run waits for servers that connect for the first time, in milliseconds; default 5 s. */
  connectWaitMs?: number;
};

/** Responsibilities of a process for servers that it shares with others. */
export type ServerOwnership = {
  /** False hides the server from this process. */
  isVisible(config: ServerConfig): boolean;
  /** False while another process is connected to it instead. */
  mayConnect(id: string): boolean;
  /** Wraps the transports of this process with those that reach servers through other processes. */
  transports(own: CreateTransport): CreateTransport;
};
