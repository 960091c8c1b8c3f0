import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from './processes.ts';
import { sharedTmp } from './test-run.ts';

/** Longer than any download takes. */
const LOCK_TIMEOUT_MS = 600_000;

/** Followed by the id of the process that fills the folder. */
const UNFINISHED = '.unfinished-';

/**
 * A folder that is made once and kept for later test runs of the same user, `name` and its version in its name. `fill`
 * writes into a folder of another name, which is then renamed: a folder that exists is complete, even if a process was
 * killed while it was made.
 *
 * @param fill gets the folder to write to, and the path it will have in the end.
 */
export async function sharedFolder(
  name: string,
  fill: (aside: string, folder: string) => Promise<void>,
): Promise<string> {
  const folder = join(sharedTmp(), `toolyard-${name}-${userInfo().uid}`);
  if (isReady(folder)) return folder;
  await withLock(`${folder}.lock`, async () => {
    if (isReady(folder)) return;
    removeLeftovers(folder);
    // Beside the folder: a rename does not reach another file system, and the folder of a test run may be in memory.
    const aside = `${folder}${UNFINISHED}${process.pid}`;
    try {
      mkdirSync(aside);
      // Whatever the umask is: PostgreSQL runs as another user.
      chmodSync(aside, 0o755);
      await fill(aside, folder);
      renameSync(aside, folder);
    } catch (error) {
      rmSync(aside, { recursive: true, force: true });
      if (!isReady(folder)) throw error;
    }
  });
  return folder;
}

/** Folders of processes that were killed while they filled them. */
function removeLeftovers(folder: string): void {
  const prefix = `${basename(folder)}${UNFINISHED}`;
  for (const name of readdirSync(dirname(folder))) {
    if (!name.startsWith(prefix) || isAlive(Number(name.slice(prefix.length)))) continue;
    rmSync(join(dirname(folder), name), { recursive: true, force: true });
  }
}

/** Its name can be guessed and it holds programs: one that belongs to another user is not used. */
function isReady(folder: string): boolean {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (!found) return false;
  const user = process.getuid?.();
  if (user === undefined || found.uid === user) return true;
  throw new Error(`${folder} belongs to another user: delete it`);
}

/** Workers that need the same folder at the same time do not all download it. */
async function withLock(path: string, work: () => Promise<void>): Promise<void> {
  const giveUpAt = performance.now() + LOCK_TIMEOUT_MS;
  while (!takeLock(path)) {
    if (performance.now() > giveUpAt)
      throw new Error(`process ${ownerOf(path)} holds ${path} for ten minutes: stop it`);
    await sleep(50);
  }
  try {
    await work();
  } finally {
    rmSync(path, { force: true });
  }
}

/** The lock of a process that was killed is taken from it. */
function takeLock(path: string): boolean {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    if (!isAlive(ownerOf(path))) rmSync(path, { force: true });
    return false;
  }
}

function ownerOf(path: string): number {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch {
    return 0;
  }
}
