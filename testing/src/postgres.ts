import type { ChildProcessByStdio } from 'node:child_process';
import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { promisify } from 'node:util';
import pg from 'pg';
import { eventually } from './eventually.ts';
import { ownPort } from './ports.ts';
import { registerProcess } from './started-processes.ts';
import { UNPRIVILEGED } from './postgres-npm.ts';
import { runFolder } from './test-run.ts';

/** Operations for tests that share a PostgreSQL. */
export type Databases = {
  /** Creates an empty database and returns its URL, with this `user` and `password` if given. */
  readonly createDatabase: () => Promise<string>;
  /** Drops a database, also one with connections. */
  readonly dropDatabase: (url: string) => Promise<void>;
  /** The URL of a database by name, whether it exists or not. */
  readonly getAddress: (database: string, login?: { user?: string; password?: string }) => string;
  /** Sends statements to a database as its owner. */
  readonly query: (url: string, ...statements: string[]) => Promise<Record<string, unknown>[]>;
  /** Resolves when PostgreSQL has no connection of Toolyard to the database, which lags a moment behind its exit. */
  readonly whenLeft: (url: string) => Promise<void>;
};

/** A temporary PostgreSQL cluster of a test. */
export type Cluster = Databases & {
  /** A regular restart, or a power failure (`immediate`). */
  stop(how: 'fast' | 'immediate'): Promise<void>;
  /** Does nothing if it is running. */
  start(): Promise<void>;
  close(): Promise<void>;
};

const PASSWORD = 'a secret of the cluster';
const CONNECTED = `SELECT 1 FROM pg_stat_activity
  WHERE datname = current_database() AND application_name LIKE 'toolyard%'`;
/**
 * Stops PostgreSQL and deletes its folder when its input is closed, which happens however the process of the test
 * exits.
 */
const KEEPER =
  '"$@" & server=$!; read how; kill -${how:-QUIT} $server; wait $server; [ -n "$how" ] || rm -rf "$FOLDER"';

/**
 * Initializes a cluster in `data` of the folder. One worker of a test run does it and the others wait and copy it,
 * which takes a seventh of the time.
 */
async function makeFiles(binaries: string, folder: string): Promise<void> {
  const data = join(folder, 'data');
  const run = runFolder();
  if (run === undefined) return initialize(binaries, folder);

  const shared = join(run, 'new-cluster');
  const claim = `${shared}-claim`;
  await eventually(() => existsSync(shared) || isFirstToMake(claim), {
    what: 'the cluster another worker initializes',
  });
  if (existsSync(shared)) return copy(shared, data);
  try {
    await initialize(binaries, folder);
    // The folder is renamed when it is complete.
    const copied = `${shared}-${randomUUID()}`;
    await copy(data, copied);
    renameSync(copied, shared);
  } finally {
    // After a failure the next worker tries.
    rmSync(claim, { recursive: true });
  }
}

function isFirstToMake(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

async function initialize(binaries: string, folder: string): Promise<void> {
  const data = join(folder, 'data');
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, PASSWORD);
  giveAway(passwordFile);
  const initdbArgs = [
    '-D',
    data,
    '-U',
    'owner',
    '-A',
    'scram-sha-256',
    '--pwfile',
    passwordFile,
    '-E',
    'UTF8',
    '--no-sync',
  ];
  await promisify(execFile)(join(binaries, 'initdb'), [...initdbArgs, '--no-locale'], { ...UNPRIVILEGED, cwd: folder });
}

/** To the user that PostgreSQL runs as. */
function giveAway(path: string): void {
  const { uid, gid } = UNPRIVILEGED;
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}

/** The keeper exits with this process, which closes its input. */
function letProcessEnd(child: ChildProcessByStdio<Writable, null, null>): void {
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
}

async function copy(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-pR', from, to]);
}

/** Sends statements to a database; returns the rows of the last one. */
export async function queryDatabase(url: string, ...statements: string[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 60_000, query_timeout: 120_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) ({ rows } = await client.query<Record<string, unknown>>(statement));
    return rows;
  } finally {
    await client.end();
  }
}

/**
 * Creates and starts a cluster on its own port. With `durable` its data survives a power failure, at the cost of speed.
 * With `endsWithProcess` it need not be closed, and this process may exit while it runs.
 */
export async function startCluster(
  binaries: string,
  { durable = false, endsWithProcess = false } = {},
): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-postgres-'));
  const data = join(folder, 'data');
  giveAway(folder);
  await makeFiles(binaries, folder);
  const port = await ownPort();
  let end: ((how: 'INT' | 'QUIT') => Promise<void>) | undefined;
  let databases = 0;

  const getAddress: Cluster['getAddress'] = (database, { user = 'owner', password = PASSWORD } = {}) =>
    `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;

  async function start(): Promise<void> {
    if (end) return;
    const fsync = durable ? 'on' : 'off';
    const settings = [
      `fsync=${fsync}`,
      'unix_socket_directories=',
      'listen_addresses=127.0.0.1',
      'shared_buffers=32MB',
      // Its workers would be new processes of the process under test.
      ...(endsWithProcess ? ['autovacuum=off'] : []),
    ];
    const server = [join(binaries, 'postgres'), '-D', data, '-p', String(port)];
    const args = [...server, ...settings.flatMap((setting) => ['-c', setting])];
    const child = registerProcess(
      spawn('sh', ['-c', KEEPER, 'sh', ...args], {
        ...UNPRIVILEGED,
        cwd: folder,
        env: { ...process.env, FOLDER: folder },
        stdio: ['pipe', 'ignore', 'ignore'],
      }),
      'PostgreSQL',
    );
    if (endsWithProcess) letProcessEnd(child);
    const ended = once(child, 'exit');
    end = async (how) => {
      end = undefined;
      child.stdin.end(`${how}\n`);
      await ended;
    };
    // The port may have been taken by the cluster of another test file, with the same password.
    await Promise.race([
      eventually(
        async () =>
          (await queryDatabase(getAddress('postgres'), 'SHOW data_directory'))[0]?.['data_directory'] === data,
      ),
      ended.then(() => Promise.reject(new Error('PostgreSQL ended before it answered.'))),
    ]);
  }

  await start();
  return {
    async createDatabase() {
      const name = `test${++databases}`;
      await queryDatabase(getAddress('postgres'), `CREATE DATABASE ${name}`);
      return getAddress(name);
    },
    async dropDatabase(url) {
      const name = new URL(url).pathname.slice(1);
      await queryDatabase(getAddress('postgres'), `DROP DATABASE ${name} WITH (FORCE)`);
    },
    getAddress,
    query: queryDatabase,
    async whenLeft(url) {
      await eventually(async () => (await queryDatabase(url, CONNECTED)).length === 0, {
        what: 'the end of its connections',
      });
    },
    stop: async (how) => end?.(how === 'fast' ? 'INT' : 'QUIT'),
    start,
    async close() {
      await end?.('QUIT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
