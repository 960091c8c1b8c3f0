import { existsSync } from 'node:fs';
import type { ServerConfig } from '@toolyard/mcp-host';
import { readMcpConfig } from '@toolyard/mcp-host/node';
import type { McpServerView } from '@toolyard/protocol';

/** A server and where it was learnt of. `enabled`: whether it is on unless somebody has switched it. */
export type ConfiguredServer = { config: ServerConfig; origin: McpServerView['origin']; enabled: boolean };

export type ConfiguredServersOptions = {
  builtIn: readonly ServerConfig[];
  /** An `mcp.json`; one that is not there says nothing. */
  file: string;
  flags: readonly ServerConfig[];
  env: Readonly<Record<string, string | undefined>>;
  log: (line: string) => void;
};

/**
 * All servers of a start. Of two with one id that of the flags counts before that of the file, and both before a
 * built-in one: what a person configured is never taken for built in, whatever it is called.
 *
 * @throws ToolyardError `bad_config` for a file with a fault, unless that is in a server that is switched off
 */
export function configuredServers(options: ConfiguredServersOptions): ConfiguredServer[] {
  const { builtIn, file, flags, env, log } = options;
  const servers = new Map<string, ConfiguredServer>();
  const add = (server: ConfiguredServer): void => {
    const { id } = server.config;
    const before = servers.get(id);
    if (before !== undefined)
      log(`The server "${id}" of ${PLACE[before.origin]} gives way to that of ${PLACE[server.origin]}.`);
    servers.set(id, server);
  };

  for (const config of builtIn) add({ config: { ...config, builtIn: true }, origin: 'built-in', enabled: true });
  for (const entry of existsSync(file) ? readMcpConfig(file, env) : []) {
    if ('fault' in entry) log(`${entry.fault.message} The server is switched off and left out.`);
    else add({ config: { ...entry.config, builtIn: false }, origin: 'file', enabled: entry.enabled });
  }
  for (const config of flags) add({ config: { ...config, builtIn: false }, origin: 'flag', enabled: true });
  return [...servers.values()];
}

const PLACE: Record<ConfiguredServer['origin'], string> = {
  'built-in': 'Toolyard itself',
  file: 'mcp.json',
  flag: 'the command line',
};
