import { existsSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../run.ts';
import type { Fault } from './list.ts';

/** Record of the injected fault, so that the next run can remove the fault of a killed run. */
const INJECTED = join(ROOT, '.cache', 'faults', 'injected.json');

type Injected = { id: string; file: string; original: string; faulty: string; changedAt: number };

/** The source with the fault. @throws Error unless the text occurs exactly once */
export function withFault({ id, file, find, replace }: Fault): { original: string; faulty: string } {
  const path = join(ROOT, file);
  if (!existsSync(path)) throw new Error(`${id}: ${file} does not exist`);
  const original = readFileSync(path, 'utf8');
  const times = original.split(find).length - 1;
  if (times !== 1) throw new Error(`${id}: ${file} contains this text ${times} times instead of once: ${find}`);
  return { original, faulty: original.replace(find, () => replace) };
}

/** Writes the fault to its source, until {@link restoreSource}. @throws Error like {@link withFault} */
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
 * Removes the injected fault, if there is one, and returns its ID.
 *
 * @throws Error if the source was edited in the meantime; it is not overwritten
 */
export function restoreSource(): string | null {
  if (!existsSync(INJECTED)) return null;
  const { id, file, original, faulty, changedAt } = JSON.parse(readFileSync(INJECTED, 'utf8')) as Injected;
  const path = join(ROOT, file);
  const now = existsSync(path) ? readFileSync(path, 'utf8') : '';
  if (now === faulty) {
    writeFileSync(path, original);
    // Restore the modification time, so that earlier builds are current again.
    utimesSync(path, new Date(), new Date(changedAt));
  } else if (now !== original) {
    throw new Error(
      `${file} was edited while the fault "${id}" was injected. Undo the fault by hand, then delete ${INJECTED}.`,
    );
  }
  rmSync(INJECTED);
  return id;
}
