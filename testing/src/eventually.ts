import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { describeProcesses } from './started-processes.ts';

/** Default timeout of a wait, in milliseconds. It asserts no speed: the machine may be busy. */
const TIMEOUT_MS = 60_000;
const POLL_MS = 10;
const MAX_NAME_LENGTH = 160;

export type WaitOptions = {
  /** What is waited for, as a noun; part of the error message. */
  what?: string;
  /** Default: one minute. */
  timeoutMs?: number;
};

/**
 * Polls `check` until it returns something other than false, null and undefined, and resolves with it. A check that
 * throws counts as not yet true. `what` defaults to the source text of the check.
 *
 * @throws Error that names what was waited for, the last error of the check (with its `cause`), and the state of the
 * processes the tests started; also if a check does not settle in time
 * @example
 * const run = await eventually(() => finishedRun(id), { what: 'the end of the run' });
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  options: WaitOptions & { everyMs?: number } = {},
): Promise<NonNullable<Exclude<T, false>>> {
  const { timeoutMs = TIMEOUT_MS, everyMs = POLL_MS, what = describeCheck(check) } = options;
  const timeout = startTimeout(timeoutMs);
  let thrown: unknown;
  try {
    while (!timeout.isOver()) {
      const outcome = await Promise.race([attempt(check), timeout.promise]);
      if (outcome === TIMED_OUT) break;
      if ('value' in outcome && outcome.value !== false && outcome.value !== null && outcome.value !== undefined) {
        return outcome.value as NonNullable<Exclude<T, false>>;
      }
      thrown = 'thrown' in outcome ? outcome.thrown : undefined;
      await sleep(everyMs);
    }
  } finally {
    timeout.clear();
  }
  throw createTimeoutError(what, timeoutMs, thrown);
}

/**
 * Waits for a promise that a test does not settle itself: an exit, an event of a stream, a reached failpoint.
 *
 * @throws what the promise rejects with, or an Error like {@link eventually}
 * @example
 * const [code] = await within(once(child, 'exit'), { what: 'the exit of the server' });
 */
export async function within<T>(
  promise: PromiseLike<T>,
  { what, timeoutMs = TIMEOUT_MS }: WaitOptions & { what: string },
): Promise<T> {
  const timeout = startTimeout(timeoutMs);
  try {
    const settled = Promise.resolve(promise).then((value) => ({ value }));
    const outcome = await Promise.race([settled, timeout.promise]);
    if (outcome !== TIMED_OUT) return outcome.value;
  } finally {
    timeout.clear();
  }
  throw createTimeoutError(what, timeoutMs, undefined);
}

const TIMED_OUT: unique symbol = Symbol('timed out');

type Timeout = { promise: Promise<typeof TIMED_OUT>; isOver: () => boolean; clear: () => void };

/** `node:timers/promises` is not affected by the fake timers of a test. */
function startTimeout(ms: number): Timeout {
  const cleared = new AbortController();
  const endsAt = performance.now() + ms;
  const timedOutNow = (): typeof TIMED_OUT => TIMED_OUT;
  const promise = sleep(ms, undefined, { signal: cleared.signal }).then(timedOutNow, timedOutNow);
  return { promise, isOver: () => performance.now() >= endsAt, clear: () => cleared.abort() };
}

async function attempt<T>(check: () => T | Promise<T>): Promise<{ value: T } | { thrown: unknown }> {
  try {
    return { value: await check() };
  } catch (thrown) {
    return { thrown };
  }
}

function describeCheck(check: () => unknown): string {
  const source = check.toString().replaceAll(/\s+/g, ' ');
  return source.length > MAX_NAME_LENGTH ? `${source.slice(0, MAX_NAME_LENGTH)}…` : source;
}

function createTimeoutError(what: string, timeoutMs: number, thrown: unknown): Error {
  const last = thrown instanceof Error ? thrown.message : thrown === undefined ? '' : inspect(thrown);
  const processes = describeProcesses();
  const lines = [
    `Timed out after ${timeoutMs / 1_000} s waiting for ${what}${last === '' ? '' : `. Last error: ${last}`}`,
    ...(processes === '' ? [] : ['Processes:', processes]),
  ];
  return new Error(lines.join('\n'), { cause: thrown });
}
