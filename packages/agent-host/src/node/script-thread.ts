import { parentPort } from 'node:worker_threads';
import { executeScript } from '../built-in/execute-script.ts';
import type { Script } from '../built-in/script.ts';

/** The entry of a worker that executes scripts, one at a time. */
parentPort?.on('message', (script: Script) => {
  void executeScript(script).then(
    (output) => parentPort?.postMessage({ output }),
    (thrown: unknown) => parentPort?.postMessage({ failure: String(thrown) }),
  );
});
