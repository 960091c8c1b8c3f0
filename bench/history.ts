// How searches and usage totals scale with sixteen times as much history.
import { noContext, runBench } from './harness/bench.ts';
import { measureHistory } from './history/requests.ts';

await runBench({
  name: 'history',
  parts: { sqlite: ({ options }) => measureHistory(options.quick ? [250, 4_000] : [1_000, 16_000]) },
  contexts: noContext,
});
