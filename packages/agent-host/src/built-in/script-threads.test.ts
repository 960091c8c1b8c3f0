import { createFakeClock } from '@toolyard/testing';
import { describe, expect, test } from 'vitest';
import type { Script, ScriptOutput } from './script.ts';
import { createScriptThreads } from './script-threads.ts';

const SCRIPT: Script = { code: '1', timeoutMs: 5_000, memoryBytes: 1e6, maxOutputLength: 100 };
const OUTPUT: ScriptOutput = { printed: '', value: '1', isCut: false };
const never = new AbortController().signal;

/** Threads of which a test decides when they start, and when their script ends. */
function controlled() {
  const clock = createFakeClock();
  const threads: { start: () => void; finish: (output: ScriptOutput) => void; isTerminated: boolean }[] = [];
  const execute = createScriptThreads(() => {
    const { promise, resolve } = Promise.withResolvers<ScriptOutput>();
    const thread = { start: () => {}, finish: resolve, isTerminated: false };
    threads.push(thread);
    return {
      execute(_script, onStart) {
        thread.start = onStart;
        return promise;
      },
      terminate: () => void (thread.isTerminated = true),
    };
  }, clock);
  return { clock, threads, execute };
}

describe('the time limit of a script', () => {
  test('begins when the script does, however long its thread takes to start', async () => {
    const { clock, threads, execute } = controlled();
    const output = execute(SCRIPT, never);
    await clock.advance(50_000);
    threads[0]?.start();
    await clock.advance(5_000);
    threads[0]?.finish(OUTPUT);
    expect(await output).toEqual(OUTPUT);
    expect(threads).toMatchObject([{ isTerminated: false }]);
  });

  test('stops a script whose engine does not notice it', async () => {
    const { clock, threads, execute } = controlled();
    const output = execute(SCRIPT, never);
    await clock.advance(50_000);
    threads[0]?.start();
    await clock.advance(10_000);
    expect(await output).toMatchObject({ error: 'Stopped after 5 s.' });
    expect(threads).toMatchObject([{ isTerminated: true }]);
    expect(clock.pending).toBe(0);
  });

  test('is not the limit of a thread that never starts: the script was not executed', async () => {
    const { clock, threads, execute } = controlled();
    const output = execute(SCRIPT, never);
    await clock.advance(60_000);
    expect((await output).error).toBe('The sandbox did not start within 60 s; the script was not executed.');
    // A late report sets no timer.
    threads[0]?.start();
    expect(threads).toMatchObject([{ isTerminated: true }]);
    expect(clock.pending).toBe(0);
    void execute(SCRIPT, never);
    await clock.advance(0);
    expect(threads).toHaveLength(2);
  });
});
