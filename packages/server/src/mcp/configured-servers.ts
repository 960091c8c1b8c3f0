import type { ServerConfig } from '@toolyard/mcp-host';
import type { McpConfigEntry } from '@toolyard/mcp-host/node';
import { defined } from '@toolyard/protocol';
import type { UnapprovedEntry } from './entry-approvals.ts';
import { createUnapprovedError } from './entry-approvals.ts';

/** An entry of `mcp.json`. */
export type ServerOfFile = McpConfigEntry & {
  origin: 'file';
  /** Set while it needs approval. */
  unapproved?: UnapprovedEntry;
  /** The missing approval is its `fault`: the entry is valid. */
  isHeld?: true;
};

/** A server and its source, usable or with a fault. `enabled`: the default, unless a user chose otherwise. */
export type ConfiguredServer = {
  enabled: boolean;
  /** Which tools are enabled by default. */
  tools?: ServerConfig['tools'];
} & (ServerOfFile | { id: string; origin: 'built-in' | 'flag'; config: ServerConfig });

export type ConfiguredServersOptions = {
  builtIn: readonly ServerConfig[];
  /** The entries of `mcp.json`. */
  entries: readonly McpConfigEntry[];
  /** The entries that need approval, by id. */
  unapproved: ReadonlyMap<string, UnapprovedEntry>;
  flags: readonly ServerConfig[];
  log: (line: string) => void;
};

/**
 * All servers. If ids collide, the command line has precedence over the file, and both over built-in servers: a server
 * that a user configured is never treated as built in.
 */
export function configuredServers({
  builtIn,
  entries,
  unapproved,
  flags,
  log,
}: ConfiguredServersOptions): ConfiguredServer[] {
  const servers = new Map<string, ConfiguredServer>();
  const add = (server: ConfiguredServer): void => {
    const before = servers.get(server.id);
    if (before !== undefined)
      log(`MCP servers: "${server.id}" of ${PLACE[server.origin]} replaces that of ${PLACE[before.origin]}`);
    servers.set(server.id, server);
  };

  for (const { disabled = false, ...config } of builtIn) {
    add({ id: config.id, origin: 'built-in', enabled: !disabled, ...splitTools({ ...config, builtIn: true }) });
  }
  for (const entry of entries) {
    const { id, line, settings } = entry;
    const pending = unapproved.get(id);
    const from = { origin: 'file', enabled: settings.enabled, ...defined({ unapproved: pending }) } as const;
    if ('fault' in entry) add({ ...entry, ...from });
    else {
      const { config, ...others } = entry;
      if (pending === undefined) add({ ...others, ...from, ...splitTools({ ...config, builtIn: false }) });
      else add({ ...others, ...from, isHeld: true, fault: createUnapprovedError(id, line, pending) });
    }
  }
  for (const config of flags) {
    add({ id: config.id, origin: 'flag', enabled: true, ...splitTools({ ...config, builtIn: false }) });
  }
  return [...servers.values()];
}

/** Enabled tools do not affect the connection: they change without reconnecting. */
function splitTools({ tools, ...config }: ServerConfig): { config: ServerConfig; tools?: ServerConfig['tools'] } {
  return { config, ...defined({ tools }) };
}

const PLACE: Record<ConfiguredServer['origin'], string> = {
  'built-in': 'Toolyard itself',
  file: 'mcp.json',
  flag: 'the command line',
};
