import { existsSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../run.ts';
import type { Fault } from './list.ts';

/** The fault that is in a source at the moment, on disk: also a run that was killed leaves no fault behind. */
const INJECTED = join(ROOT, '.cache', 'faults', 'injected.json');

type Injected = { id: string; file: string; original: string; faulty: string; changedAt: number };

/** The source with the fault. @throws Error where the text is not there, or not only once */
export function withFault({ id, file, find, replace }: Fault): { original: string; faulty: string } {
  const path = join(ROOT, file);
  if (!existsSync(path)) throw new Error(`${id}: ${file} does not exist`);
  const original = readFileSync(path, 'utf8');
  const times = original.split(find).length - 1;
  if (times !== 1) throw new Error(`${id}: ${file} contains this text ${times} times instead of once: ${find}`);
  return { original, faulty: original.replace(find, () => replace) };
}

/** Puts the fault into its source until {@link restoreSource}. @throws Error as {@link withFault} does */
export function inject(fault: Fault): void {
  const path = join(ROOT, fault.file);
  const injected: Injected = {
    id: fault.id,
    file: fault.file,
    ...withFault(fault),
    changedAt: statSync(path).mtimeMs,
  };
  mkdirSync(dirname(INJECTED), { recursive: true });
  writeFileSync(INJECTED, JSON.stringify(injected));
  writeFileSync(path, injected.faulty);
}

/**
 * Takes the injected fault out again, if there is one. Gives its id.
 *
 * @throws Error where the source was edited since: what is there then is not overwritten
 */
export function restoreSource(): string | null {
  if (!existsSync(INJECTED)) return null;
  const { id, file, original, faulty, changedAt } = JSON.parse(readFileSync(INJECTED, 'utf8')) as Injected;
  const path = join(ROOT, file);
  const now = existsSync(path) ? readFileSync(path, 'utf8') : '';
  if (now === faulty) {
    writeFileSync(path, original);
    // What was built from it before is up to date again.
    utimesSync(path, new Date(), new Date(changedAt));
  } else if (now !== original) {
    throw new Error(
      `${file} was edited while it contained the fault "${id}". Undo the fault by hand, then delete ${INJECTED}.`,
    );
  }
  rmSync(INJECTED);
  return id;
}
