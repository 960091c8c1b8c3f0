// Cost of sub-agents: a real server and the model in separate processes.
import { runBench } from './harness/bench.ts';
import { startMockModel } from './mock-model/start.ts';
import type { Context } from './run/serve.ts';
import { measureTree } from './tree/measure-tree.ts';

await runBench<Context>({
  name: 'tree',
  parts: { 'fan-out': measureTree },
  async *contexts(bench) {
    await using mock = await startMockModel();
    yield { context: { ...bench, mock } };
  },
});
