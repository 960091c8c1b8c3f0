import type { FSWatcher } from 'node:fs';
import { unwatchFile, watch, watchFile } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Clock } from '@toolyard/protocol';

/** Editors save in several steps; a change is reported once the file is unchanged for this long. Milliseconds. */
const GATHER_MS = 150;
/** How often the file is polled, for systems without change events and as a fallback. Milliseconds. */
const POLL_MS = 2_000;

/**
 * Calls back shortly after a file was written, replaced, created or deleted; the callback reads the file and compares.
 * Watches the folder, because a replaced file ends a watch on the file itself.
 *
 * @returns a function that stops watching
 * @example
 * const stop = watchConfigFile('mcp.json', systemClock, () => console.log('changed'));
 * stop();
 */
export function watchConfigFile(path: string, clock: Clock, onChange: () => void): () => void {
  let cancelTimer: (() => void) | undefined;
  const changed = (): void => {
    cancelTimer?.();
    cancelTimer = clock.after(GATHER_MS, onChange);
  };
  const name = basename(path);
  let watcher: FSWatcher | undefined;
  try {
    watcher = watch(dirname(path), { persistent: false }, (_event, file) => {
      if (file === null || file === name) changed();
    });
    watcher.on('error', () => watcher?.close());
  } catch {
    // A folder that cannot be watched: looking at it now and then has to do.
  }
  watchFile(path, { persistent: false, interval: POLL_MS }, changed);
  return () => {
    cancelTimer?.();
    watcher?.close();
    unwatchFile(path, changed);
  };
}
