import { Worker } from 'node:worker_threads';
import type { Clock } from '@toolyard/protocol';
import { createComputeTools } from '../built-in/compute-tools.ts';
import type { FromScriptThread } from '../built-in/script.ts';
import type { ScriptThread } from '../built-in/script-threads.ts';
import { createScriptThreads } from '../built-in/script-threads.ts';

/** Idle worker threads do not keep the process alive. */
export const QUIET_TIMERS: Pick<Clock, 'after'> = {
  after(ms, callback) {
    const timer = setTimeout(callback, ms).unref();
    return () => clearTimeout(timer);
  },
};

/** A worker thread that executes scripts. */
export function openScriptThread(): ScriptThread {
  // Compiled, this file and the worker end in .js.
  const entry = new URL(import.meta.url.endsWith('.ts') ? './script-thread.ts' : './script-thread.js', import.meta.url);
  const worker = new Worker(entry, {
    name: 'toolyard script',
    env: {},
    stdin: false,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 128 },
  });
  worker.unref();
  let receive: ((message: FromScriptThread) => void) | undefined;
  const fail = (message: string): void => receive?.({ type: 'failure', message });
  worker.on('message', (message: FromScriptThread) => receive?.(message));
  worker.on('error', (error: Error) => fail(error.message));
  worker.on('exit', (code) => fail(`its thread exited with code ${code}`));
  return {
    execute: (script, onStart) =>
      new Promise((resolve, reject) => {
        receive = (message) => {
          if (message.type === 'started') return onStart();
          receive = undefined;
          worker.unref();
          if (message.type === 'output') resolve(message.output);
          else reject(new Error(message.message));
        };
        worker.ref();
        worker.postMessage(script);
      }),
    terminate: () => void worker.terminate(),
  };
}

/**
 * The tools that compute, on Node: scripts run in worker threads without the environment of this process.
 *
 * @example
 * await using agent = await createAgent({ model: { demo: true }, builtIn: [COMPUTE_TOOLS] });
 */
export const COMPUTE_TOOLS = createComputeTools(createScriptThreads(openScriptThread, QUIET_TIMERS));
