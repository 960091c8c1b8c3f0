import { parentPort } from 'node:worker_threads';
import { executeScript } from '../built-in/execute-script.ts';
import type { FromScriptThread, Script } from '../built-in/script.ts';

const report = (message: FromScriptThread): void => parentPort?.postMessage(message);

/** The entry of a worker that executes scripts, one at a time. */
parentPort?.on('message', (script: Script) => {
  void executeScript(script, () => report({ type: 'started' })).then(
    (output) => report({ type: 'output', output }),
    (thrown: unknown) => report({ type: 'failure', message: String(thrown) }),
  );
});
