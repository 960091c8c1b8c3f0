import type { Clock } from '@toolyard/protocol';
import type { ExecuteScript, Script, ScriptOutput } from './script.ts';

/** A worker that executes one script at a time with `executeScript`. */
export type ScriptThread = {
  /** Calls `onStart` when the worker has started and the script begins. Rejects if the worker fails. */
  execute(script: Script, onStart: () => void): Promise<ScriptOutput>;
  terminate(): void;
};

/** Scripts executing at once; others wait. */
const MAX_THREADS = 4;
/** An idle worker ends after this time. */
const IDLE_MS = 60_000;
/** Start of a worker and its engine, until the script begins: long, because a busy machine only delays it. */
const START_MS = 60_000;
/** The engine stops a script itself; if it does not within this time, its worker is terminated. */
const GRACE_MS = 2_000;

/**
 * Executes scripts in workers, which are kept for a while because starting one takes longer than most scripts.
 *
 * @example
 * const execute = createScriptThreads(openThread, systemClock);
 * const script = { code: '1 + 1', timeoutMs: 1_000, memoryBytes: 16_000_000, maxOutputLength: 1_000 };
 * const { value } = await execute(script, signal); // '2'
 */
export function createScriptThreads(open: () => ScriptThread, clock: Pick<Clock, 'after'>): ExecuteScript {
  const idle: { thread: ScriptThread; keep: () => void }[] = [];
  const waiting: (() => void)[] = [];
  let busy = 0;

  async function turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (busy < MAX_THREADS) {
      busy += 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const go = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        waiting.splice(waiting.indexOf(go), 1);
        reject(signal.reason as Error);
      };
      waiting.push(go);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  /** The next script takes over the turn, if one waits. */
  function endTurn(): void {
    const next = waiting.shift();
    if (next) next();
    else busy -= 1;
  }

  function take(): ScriptThread {
    const kept = idle.pop();
    kept?.keep();
    return kept?.thread ?? open();
  }

  function putBack(thread: ScriptThread): void {
    const entry = {
      thread,
      keep: clock.after(IDLE_MS, () => {
        idle.splice(idle.indexOf(entry), 1);
        thread.terminate();
      }),
    };
    idle.push(entry);
  }

  async function executeIn(thread: ScriptThread, script: Script, signal: AbortSignal): Promise<ScriptOutput> {
    let settle = (): void => undefined;
    let onStart = (): void => undefined;
    const stopped = new Promise<ScriptOutput>((resolve, reject) => {
      const stop = (): void => reject(signal.reason as Error);
      const stopAfter = (ms: number, error: string): (() => void) => clock.after(ms, () => resolve(spent(error)));
      let cancel = stopAfter(START_MS, NOT_STARTED);
      onStart = () => {
        cancel();
        cancel = stopAfter(script.timeoutMs + GRACE_MS, `Stopped after ${script.timeoutMs / 1000} s.`);
      };
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
      settle = () => {
        cancel();
        signal.removeEventListener('abort', stop);
        // A worker that was terminated meanwhile may still report its start.
        onStart = () => undefined;
      };
    });
    try {
      return await Promise.race([thread.execute(script, () => onStart()), stopped]);
    } finally {
      settle();
    }
  }

  return async (script, signal) => {
    await turn(signal);
    try {
      const thread = take();
      try {
        const output = await executeIn(thread, script, signal);
        // The memory of an engine never shrinks.
        if (output.isSpent) thread.terminate();
        else putBack(thread);
        return output;
      } catch (thrown) {
        thread.terminate();
        throw thrown;
      }
    } finally {
      endTurn();
    }
  };
}

const NOT_STARTED = `The sandbox did not start within ${START_MS / 1000} s; the script was not executed.`;

/** Of a script that was stopped from outside: its engine may still be busy. */
function spent(error: string): ScriptOutput {
  return { printed: '', error, isCut: false, isSpent: true };
}
