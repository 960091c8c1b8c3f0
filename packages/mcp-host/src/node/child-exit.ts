import type { ChildProcess } from 'node:child_process';
import type { Clock } from '@toolyard/protocol';

/** How long the pipes may stay open after the exit, in milliseconds. */
const DRAIN_MS = 500;

export type ChildExit = { code: number | null; signal: NodeJS.Signals | null };

/**
 * Resolves when a child has exited and its output was read. A descendant that keeps the pipes open is not waited
 * for.
 */
export function childExit(child: ChildProcess, clock: Clock): Promise<ChildExit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      const settle = (): void => resolve({ code, signal });
      const cancel = clock.after(DRAIN_MS, settle);
      child.once('close', () => {
        cancel();
        settle();
      });
    });
  });
}
