import type { ServerConfig } from '@toolyard/mcp-host';
import type { McpConfigEntry } from '@toolyard/mcp-host/node';
import type { McpServerView, ToolyardError } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import type { WaitingEntry } from './entry-approvals.ts';
import { needsApproval } from './entry-approvals.ts';

/**
 * A server and where it was learnt of, usable or with what is wrong with it. `enabled`: whether it is on unless
 * somebody has switched it.
 */
export type ConfiguredServer = {
  id: string;
  origin: McpServerView['origin'];
  enabled: boolean;
  /** Which of its tools are on unless somebody has switched them. */
  tools?: ServerConfig['tools'];
  /** How it stands in `mcp.json`, if that is where it is from. */
  entry?: McpConfigEntry;
  /** Set while its entry needs approval: its `fault` says so. */
  waiting?: WaitingEntry;
} & ({ config: ServerConfig } | { fault: ToolyardError });

export type ConfiguredServersOptions = {
  builtIn: readonly ServerConfig[];
  /** What `mcp.json` says. */
  entries: readonly McpConfigEntry[];
  /** Those of them that need approval, by id. */
  waiting: ReadonlyMap<string, WaitingEntry>;
  flags: readonly ServerConfig[];
  log: (line: string) => void;
};

/**
 * All servers there are. Of two with one id that of the flags counts before that of the file, and both before a
 * built-in one: what a person configured is never taken for built in, whatever it is called.
 */
export function configuredServers({
  builtIn,
  entries,
  waiting,
  flags,
  log,
}: ConfiguredServersOptions): ConfiguredServer[] {
  const servers = new Map<string, ConfiguredServer>();
  const add = (server: ConfiguredServer): void => {
    const before = servers.get(server.id);
    if (before !== undefined)
      log(`The server "${server.id}" of ${PLACE[before.origin]} gives way to that of ${PLACE[server.origin]}.`);
    servers.set(server.id, server);
  };

  for (const config of builtIn) {
    add({ id: config.id, origin: 'built-in', enabled: true, ...withoutSwitches({ ...config, builtIn: true }) });
  }
  for (const entry of entries) {
    const { id } = entry;
    const from = { id, origin: 'file', enabled: entry.switches.enabled, entry } as const;
    const unapproved = waiting.get(id);
    const of = unapproved === undefined ? from : { ...from, waiting: unapproved };
    if ('fault' in entry) add({ ...of, fault: entry.fault });
    else if (unapproved !== undefined) add({ ...of, fault: needsApproval(id, entry.line, unapproved) });
    else add({ ...from, ...withoutSwitches({ ...entry.config, builtIn: false }) });
  }
  for (const config of flags) {
    add({ id: config.id, origin: 'flag', enabled: true, ...withoutSwitches({ ...config, builtIn: false }) });
  }
  return [...servers.values()];
}

/** What tools are on is no matter of the connection here: it changes without one, and by hand. */
function withoutSwitches({ tools, ...config }: ServerConfig): { config: ServerConfig; tools?: ServerConfig['tools'] } {
  return { config, ...defined({ tools }) };
}

const PLACE: Record<ConfiguredServer['origin'], string> = {
  'built-in': 'Toolyard itself',
  file: 'mcp.json',
  flag: 'the command line',
};
