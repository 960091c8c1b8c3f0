import { readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Cluster } from '../../testing/src/postgres.ts';
import type { Api } from '../support/api.ts';
import { createApi } from '../support/api.ts';
import type { ServerProcess } from '../support/server.ts';
import { makeDataFolder, startServer } from '../support/server.ts';
import { PROVIDER } from '../support/start-upstream.ts';
import type { PlaceName } from './options.ts';

/** Servers at work on one store. */
export type Place = {
  name: PlaceName;
  /** Where people come to. */
  api: Api;
  servers: readonly ServerProcess[];
  /** What is stored takes so many bytes, once what is left of older versions of rows is cleared away. */
  storedBytes(): Promise<number>;
  end(): Promise<void>;
};

const EVERYTHING = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');

type Setting = {
  upstreamUrl: string;
  cluster: Cluster | null;
  /** Where CPU profiles are left; null for none. */
  profile: string | null;
};

/** The servers of a place; null where this machine has no PostgreSQL. */
export async function openPlace(name: PlaceName, { upstreamUrl, cluster, profile }: Setting): Promise<Place | null> {
  const common = {
    providers: { [PROVIDER]: upstreamUrl },
    mcpServers: { everything: { command: process.execPath, args: [EVERYTHING, 'stdio'] } },
  };
  const profileOf = (role: string) => (profile === null ? null : { folder: profile, name: `${name}-${role}` });
  const args = ['--no-date', '--no-ui'];
  const folder = makeDataFolder();
  if (name === 'sqlite') {
    const server = await startServer({ ...common, dataFolder: folder.path, args, profile: profileOf('all') });
    return {
      name,
      api: createApi(server.url),
      servers: [server],
      storedBytes: () => Promise.resolve(sizeOf(folder.path)),
      async end() {
        await server.end();
        folder[Symbol.dispose]();
      },
    };
  }
  if (!cluster) return null;
  const url = await cluster.createDatabase();
  const env = { DATABASE_URL: url, TOOLYARD_SECRET: 'a secret of the bench' };
  const servers: ServerProcess[] = [];
  for (const role of name === 'postgres' ? ['all'] : ['web', 'worker', 'tools']) {
    const dataFolder = join(folder.path, role);
    servers.push(
      await startServer({ ...common, dataFolder, env, args: [...args, '--role', role], profile: profileOf(role) }),
    );
  }
  return {
    name,
    api: createApi(servers[0]?.url ?? ''),
    servers,
    async storedBytes() {
      await cluster.query(url, 'VACUUM FULL');
      const [row] = await cluster.query(url, 'SELECT pg_database_size(current_database()) AS size');
      return Number(row?.['size']);
    },
    async end() {
      for (const server of servers) await server.end();
      folder[Symbol.dispose]();
    },
  };
}

function sizeOf(folder: string): number {
  return readdirSync(folder)
    .filter((file) => file.startsWith('toolyard.db'))
    .reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
}
