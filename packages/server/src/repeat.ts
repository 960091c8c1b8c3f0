import type { Clock } from '@toolyard/protocol';
import { createLogOnce } from './log-once.ts';

type RepeatOptions = {
  /** Names the work in the log. */
  what: string;
  clock: Pick<Clock, 'after'>;
  log: (line: string) => void;
  /** The pause after each time, in milliseconds. */
  pauseMs: number | (() => Promise<number>);
  /** Waits this long before the first time. */
  delayMs?: number;
};

/**
 * Repeats `work`, such as looking for due rows, until the returned function is called, which waits for work in progress.
 * A failure does not end it; equal ones are logged once.
 */
export function repeat(
  { what, clock, log, pauseMs, delayMs }: RepeatOptions,
  work: (isFirst: boolean, stopping: AbortSignal) => Promise<unknown>,
): () => Promise<void> {
  const logFailures = createLogOnce(log);
  const stopping = new AbortController();
  const { signal } = stopping;
  let cancel: () => void = () => undefined;
  let working: Promise<void> = Promise.resolve();

  async function execute(isFirst: boolean): Promise<void> {
    try {
      await work(isFirst, signal);
      logFailures.worked();
    } catch (error) {
      // The storage is closed afterwards.
      if (!signal.aborted) logFailures.failed(what, error);
    }
    if (signal.aborted) return;
    const pause = typeof pauseMs === 'number' ? pauseMs : await pauseMs();
    if (!signal.aborted) plan(pause, false);
  }

  function plan(ms: number, isFirst: boolean): void {
    cancel = clock.after(ms, () => {
      working = execute(isFirst);
    });
  }

  if (delayMs === undefined) working = execute(true);
  else plan(delayMs, true);
  return async () => {
    stopping.abort();
    cancel();
    await working;
  };
}
