import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from './processes.ts';
import { sharedTmp } from './test-run.ts';

/** Longer than any download takes. */
const LOCK_TIMEOUT_MS = 600_000;

/** Followed by the pid of the process that fills the folder. */
const UNFINISHED = '.unfinished-';

/**
 * A folder that is created once and kept for later test runs of the same user; its name contains `name` and its
 * version. `fill` writes to a folder with another name, which is then renamed, so an existing folder is complete even
 * if a process was killed.
 *
 * @param fill gets the folder to write to and its final path
 */
export async function sharedFolder(
  name: string,
  fill: (unfinished: string, folder: string) => Promise<void>,
): Promise<string> {
  const folder = join(sharedTmp(), `toolyard-${name}-${userInfo().uid}`);
  if (isReady(folder)) return folder;
  await withLock(`${folder}.lock`, async () => {
    if (isReady(folder)) return;
    removeLeftovers(folder);
    // Next to the folder: a rename does not work across file systems, and the folder of a test run may be on tmpfs.
    const unfinished = `${folder}${UNFINISHED}${process.pid}`;
    try {
      mkdirSync(unfinished);
      // Independent of the umask: PostgreSQL runs as another user.
      chmodSync(unfinished, 0o755);
      await fill(unfinished, folder);
      renameSync(unfinished, folder);
    } catch (error) {
      rmSync(unfinished, { recursive: true, force: true });
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

/** Its name is predictable and it contains programs, so a folder of another user is rejected. */
function isReady(folder: string): boolean {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (!found) return false;
  const user = process.getuid?.();
  if (user === undefined || found.uid === user) return true;
  throw new Error(`${folder} belongs to another user: delete it`);
}

/** Prevents concurrent workers from downloading the same files. */
async function withLock(path: string, work: () => Promise<void>): Promise<void> {
  const giveUpAt = performance.now() + LOCK_TIMEOUT_MS;
  while (!takeLock(path)) {
    if (performance.now() > giveUpAt)
      throw new Error(`process ${readOwner(path)} holds ${path} for ten minutes: stop it`);
    await sleep(50);
  }
  try {
    await work();
  } finally {
    rmSync(path, { force: true });
  }
}

/** Removes the lock of a killed process. */
function takeLock(path: string): boolean {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    if (!isAlive(readOwner(path))) rmSync(path, { force: true });
    return false;
  }
}

function readOwner(path: string): number {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch {
    return 0;
  }
}
