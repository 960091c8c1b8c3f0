import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster } from '../../testing/src/postgres.ts';
import { PROVIDER } from '../mock-model/start.ts';
import type { Measured } from '../run/many.ts';
import type { Api } from '../harness/api.ts';
import { createApi } from '../harness/api.ts';
import { EVERYTHING } from '../harness/everything.ts';
import type { ServerProcess } from '../harness/server.ts';
import { makeDataFolder, startServer } from '../harness/server.ts';

/** The measured deployments, in order. */
export const DEPLOYMENTS: readonly string[] = ['sqlite', 'postgres', 'web+worker'];
const ROLES: Readonly<Record<string, readonly string[]>> = { 'web+worker': ['web', 'worker', 'tools'] };

/** Servers with one storage. */
export type Deployment = AsyncDisposable & {
  name: string;
  /** The process that users connect to. */
  api: Api;
  servers: Readonly<Record<string, ServerProcess>>;
  /** Processes of the database, if any. */
  database: Measured | null;
  /** Stored bytes after vacuuming. */
  storedBytes(): Promise<number>;
};

type Setting = { modelUrl: string; cluster: Cluster | null; profile: string | null };

/** Starts a deployment; null if it needs PostgreSQL and none is available. */
export async function openDeployment(
  name: string,
  { modelUrl, cluster, profile }: Setting,
): Promise<Deployment | null> {
  const url = name === 'sqlite' ? null : await cluster?.createDatabase();
  if (url === undefined) return null;
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(makeDataFolder());
  const servers: Record<string, ServerProcess> = {};
  for (const role of ROLES[name] ?? ['all']) {
    servers[role] = stack.use(
      await startServer({
        dataFolder: join(folder.path, role),
        providers: { [PROVIDER]: modelUrl },
        mcpServers: { everything: EVERYTHING },
        args: ['--no-date', '--no-ui', ...(url === null ? [] : ['--role', role])],
        env: url === null ? {} : { DATABASE_URL: url, TOOLYARD_SECRET: 'a secret of the bench' },
        profile: profile === null ? null : { folder: profile, name: `${name}-${role}` },
      }),
    );
  }
  const all = stack.move();
  return {
    name,
    api: createApi(Object.values(servers)[0]?.url ?? ''),
    servers,
    database: url === null || !cluster ? null : measuredDatabase(cluster, url),
    async storedBytes() {
      if (url === null || !cluster) return measureSize(join(folder.path, 'all'));
      await cluster.query(url, 'VACUUM FULL');
      const [row] = await cluster.query(url, 'SELECT pg_database_size(current_database()) AS size');
      return Number(row?.['size']);
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

function measuredDatabase(cluster: Cluster, url: string): Measured {
  const cpuMs = async (): Promise<number> => {
    const rows = await cluster.query(url, 'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()');
    return rows.reduce((sum, { pid }) => sum + readCpuMs(Number(pid)), 0);
  };
  let before = { cpuMs: 0, at: 0 };
  return {
    async begin() {
      before = { cpuMs: await cpuMs(), at: performance.now() };
    },
    load: async () => ({ cpuMs: (await cpuMs()) - before.cpuMs, wallMs: performance.now() - before.at }),
  };
}

function measureSize(folder: string): number {
  return readdirSync(folder)
    .filter((file) => file.startsWith('toolyard.db'))
    .reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
}

/** CPU time from /proc in hundredths of a second; user and system are fields 14 and 15. */
function readCpuMs(pid: number): number {
  try {
    const words = readFileSync(`/proc/${String(pid)}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return 10 * (Number(words[11]) + Number(words[12]));
  } catch {
    return 0;
  }
}
