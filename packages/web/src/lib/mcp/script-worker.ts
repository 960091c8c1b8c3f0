/** Executes scripts of `run_javascript` away from the page's thread, one at a time. Its policy allows no requests. */
import { executeScript } from '@toolyard/agent-host/execute-script';

export type FromScriptWorker =
  | { output: Awaited<ReturnType<typeof executeScript>>; failure?: never }
  | { output?: never; failure: string };

addEventListener('message', ({ data }: MessageEvent<Parameters<typeof executeScript>[0]>) => {
  void executeScript(data).then(
    (output) => postMessage({ output } satisfies FromScriptWorker),
    (thrown: unknown) => postMessage({ failure: String(thrown) } satisfies FromScriptWorker),
  );
});
