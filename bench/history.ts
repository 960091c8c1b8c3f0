// How an exchange scales with 64 times as much history, searches and usage totals with a hundred times as much.
import { noContext, runBench } from './harness/bench.ts';
import { measureExchange } from './history/exchange.ts';
import { measureHistory } from './history/requests.ts';

await runBench({
  name: 'history',
  parts: {
    exchange: measureExchange,
    sqlite: ({ options }) => measureHistory(options.quick ? [1_000, 8_000] : [1_000, 100_000], 'sqlite'),
    postgres: ({ options }) => measureHistory(options.quick ? [1_000, 8_000] : [1_000, 100_000], 'postgres'),
  },
  contexts: noContext,
});
