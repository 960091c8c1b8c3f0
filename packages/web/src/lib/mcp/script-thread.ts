import type { FromScriptThread, ScriptThread } from '@toolyard/agent-host';

/** A worker that executes scripts of `run_javascript`. */
export function openScriptThread(): ScriptThread {
  const worker = new Worker(new URL('./script-worker.ts', import.meta.url), { type: 'module' });
  return {
    execute: (script, onStart) =>
      new Promise((resolve, reject) => {
        worker.onmessage = ({ data }: MessageEvent<FromScriptThread>) => {
          if (data.type === 'started') onStart();
          else if (data.type === 'output') resolve(data.output);
          else reject(new Error(data.message));
        };
        worker.onerror = ({ message }) => reject(new Error(message || 'the worker could not be started'));
        worker.postMessage(script);
      }),
    terminate: () => worker.terminate(),
  };
}
