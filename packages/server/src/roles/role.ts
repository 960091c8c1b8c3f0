import type { TransportConfig } from '@toolyard/mcp-host';
import { ToolyardError } from '@toolyard/protocol';
import type { ResolvedFlags } from '../config/serve-flags.ts';

/** What a process is there for, where several share a database. */
export type Role = ResolvedFlags['role'];

/** What a process of this role does. */
export type RoleCapabilities = {
  /** Answers people and programs: the page, the API, streams. */
  door: boolean;
  /** Takes up runs. */
  runs: boolean;
  /** Which MCP servers it is connected to; those that are programs (`local`) run where they are connected to. */
  servers: 'all' | 'local' | 'none';
};

const DUTIES: Record<Role, RoleCapabilities> = {
  all: { door: true, runs: true, servers: 'all' },
  web: { door: true, runs: false, servers: 'none' },
  worker: { door: false, runs: true, servers: 'all' },
  tools: { door: false, runs: false, servers: 'local' },
};

export function roleCapabilities(role: Role): RoleCapabilities {
  return DUTIES[role];
}

/** True for a server that runs in the process that has it. */
export function isLocal({ type }: TransportConfig): boolean {
  return type === 'stdio' || type === 'in-memory';
}

/** True where a process of this role has such a server itself, and says so to the others. */
export function canHost(role: Role, transport: TransportConfig): boolean {
  switch (role) {
    case 'all':
      return true;
    case 'web':
      return false;
    case 'worker':
      return !isLocal(transport);
    case 'tools':
      return isLocal(transport);
  }
}

/** @throws ToolyardError `bad_config` for a part of a whole that does not share a database */
export function checkRole(role: Role, databaseUrl: string | undefined): void {
  if (role === 'all' || databaseUrl !== undefined) return;
  throw new ToolyardError({
    code: 'bad_config',
    message: `The role "${role}" is for one of several processes over one PostgreSQL; a data folder is for one process, which does all.`,
    hint: 'Give the database with DATABASE_URL, or leave out --role (TOOLYARD_ROLE).',
  });
}
