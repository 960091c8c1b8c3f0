import type { Bench } from '../harness/bench.ts';
import type { Figure } from '../harness/figure.ts';
import { sampled } from '../harness/figure.ts';
import { alternate } from '../harness/rounds.ts';
import { median } from '../harness/quantile.ts';
import type { MakeCall } from './compared.ts';
import { comparedWithSdk } from './compared.ts';

/** Target for the overhead of the host per call, in microseconds. */
const TOOLS = [
  { tool: 'echo', schema: 'no output schema', atMost: 50 },
  { tool: 'tides', schema: 'with output schema', atMost: 150 },
] as const;

/** Alternates calls through the host and the bare SDK. */
export function measureCalls({ options, say }: Bench): Promise<Figure[]> {
  const calls = options.quick ? 1_000 : 10_000;
  return comparedWithSdk(async ({ over, bare, hosted }) => {
    const figures: Figure[] = [];
    for (const { tool, schema, atMost } of TOOLS) {
      say(`${tool} over ${over}`);
      const timed = (call: MakeCall) => (round: number) =>
        microseconds(() => call({ tool, message: `round ${round}` }));
      const pairs = await alternate({ rounds: calls, warmUp: 1_000 }, timed(bare), timed(hosted));
      const added = pairs.map(([ofBare, ofHost]) => ofHost - ofBare);
      const of = { calls, bareMedian: median(pairs.map(([ofBare]) => ofBare)) };
      figures.push(sampled(`what the host adds to a call over ${over}, ${schema}`, added, 'µs', { atMost, of }));
    }
    return figures;
  });
}

async function microseconds(run: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await run();
  return (performance.now() - begun) * 1_000;
}
