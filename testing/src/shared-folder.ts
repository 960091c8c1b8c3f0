import { chmodSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from './processes.ts';
import { sharedTmp } from './test-run.ts';

/** Longer than any download takes. Without the lock the work is done twice, which does no harm. */
const LOCK_TIMEOUT_MS = 600_000;

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
    const aside = mkdtempSync(join(tmpdir(), `toolyard-${name}-`));
    try {
      chmodSync(aside, 0o755);
      await fill(aside, folder);
      renameSync(aside, folder);
    } catch (error) {
      rmSync(aside, { recursive: true, force: true });
      if (!existsSync(folder)) throw error;
    }
  });
  return folder;
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
  while (!takeLock(path) && performance.now() < giveUpAt) await sleep(50);
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
