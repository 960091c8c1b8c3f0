import type { FSWatcher } from 'node:fs';
import { unwatchFile, watch, watchFile } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Clock } from '@toolyard/protocol';

/** Editors write in several steps; only what stays so long is looked at. Milliseconds. */
const GATHER_MS = 150;
/** How often a file is looked at where the system announces no changes, and as a safeguard where it does. */
const LOOK_MS = 2_000;

/**
 * Calls back some time after a file was written, replaced, made or taken away; whoever is called reads it and compares.
 * The folder is watched, so that a file that is replaced as a whole is not lost sight of.
 *
 * @returns what ends it
 */
export function watchConfigFile(path: string, clock: Clock, onChange: () => void): () => void {
  let callOff: (() => void) | undefined;
  const changed = (): void => {
    callOff?.();
    callOff = clock.after(GATHER_MS, onChange);
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
  watchFile(path, { persistent: false, interval: LOOK_MS }, changed);
  return () => {
    callOff?.();
    watcher?.close();
    unwatchFile(path, changed);
  };
}
