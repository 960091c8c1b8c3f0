import type { ScriptThread } from '@toolyard/agent-host';
import type { FromScriptWorker } from './script-worker.ts';

/** A worker that executes scripts of `run_javascript`. */
export function openScriptThread(): ScriptThread {
  const worker = new Worker(new URL('./script-worker.ts', import.meta.url), { type: 'module' });
  return {
    execute: (script) =>
      new Promise((resolve, reject) => {
        worker.onmessage = ({ data: { output, failure } }: MessageEvent<FromScriptWorker>) => {
          if (output) resolve(output);
          else reject(new Error(failure));
        };
        worker.onerror = ({ message }) => reject(new Error(message || 'the worker could not be started'));
        worker.postMessage(script);
      }),
    terminate: () => worker.terminate(),
  };
}
