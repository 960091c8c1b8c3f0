/** Executes scripts of `run_javascript` away from the page's thread, one at a time. Its policy allows no requests. */
import type { FromScriptThread } from '@toolyard/agent-host';
import { executeScript } from '@toolyard/agent-host/execute-script';

const report = (message: FromScriptThread): void => postMessage(message);

addEventListener('message', ({ data }: MessageEvent<Parameters<typeof executeScript>[0]>) => {
  void executeScript(data, () => report({ type: 'started' })).then(
    (output) => report({ type: 'output', output }),
    (thrown: unknown) => report({ type: 'failure', message: String(thrown) }),
  );
});
