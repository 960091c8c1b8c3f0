import type { TransportConfig } from '@toolyard/mcp-host';
import { createConfigError } from '../errors.ts';
import type { ResolvedFlags } from '../config/serve-flags.ts';

/** What a process does, if several share a database. */
export type Role = ResolvedFlags['role'];

/** What a process of this role does. */
export type RoleCapabilities = {
  /** Serves the page, the API and streams. */
  web: boolean;
  /** Executes runs. */
  runs: boolean;
  /**
   * Which MCP servers it connects to; `local`: only local servers (stdio), which run in the process that connects to
   * them.
   */
  servers: 'all' | 'local' | 'none';
};

const CAPABILITIES: Record<Role, RoleCapabilities> = {
  all: { web: true, runs: true, servers: 'all' },
  web: { web: true, runs: false, servers: 'none' },
  worker: { web: false, runs: true, servers: 'all' },
  tools: { web: false, runs: false, servers: 'local' },
};

export function roleCapabilities(role: Role): RoleCapabilities {
  return CAPABILITIES[role];
}

/** True for a local server (stdio), which runs in the process that hosts it. */
export function isLocal({ type }: TransportConfig): boolean {
  return type === 'stdio' || type === 'in-memory';
}

/** True if a process of this role hosts such a server for the others. */
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

/** @throws ToolyardError `bad_config` for a partial role without a shared database */
export function checkRole(role: Role, databaseUrl: string | undefined): void {
  if (role === 'all' || databaseUrl !== undefined) return;
  throw createConfigError(
    `The role "${role}" requires PostgreSQL: a data folder supports only one process, with all roles.`,
    'Set DATABASE_URL, or remove --role (TOOLYARD_ROLE).',
  );
}
