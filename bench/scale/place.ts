import { readFileSync, readdirSync, statSync } from 'node:fs';
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
  /** What the database's own processes have spent so far, of processor time; 0 where there are none, or nobody can tell. */
  databaseCpuMs(): Promise<number>;
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
      databaseCpuMs: () => Promise.resolve(0),
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
    async databaseCpuMs() {
      const rows = await cluster.query(url, 'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()');
      return rows.reduce((sum, { pid }) => sum + cpuMsOf(Number(pid)), 0);
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

/** As Linux tells it, in hundredths of a second; user and system are the 14th and 15th word. */
function cpuMsOf(pid: number): number {
  try {
    const words = readFileSync(`/proc/${String(pid)}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return 10 * (Number(words[11]) + Number(words[12]));
  } catch {
    return 0;
  }
}
