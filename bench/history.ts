// How an exchange scales with 64 times as much history, searches and usage totals with sixteen times as much.
import { noContext, runBench } from './harness/bench.ts';
import { measureExchange } from './history/exchange.ts';
import { measureHistory } from './history/requests.ts';

await runBench({
  name: 'history',
  parts: {
    exchange: measureExchange,
    sqlite: ({ options }) => measureHistory(options.quick ? [250, 4_000] : [1_000, 16_000]),
  },
  contexts: noContext,
});
