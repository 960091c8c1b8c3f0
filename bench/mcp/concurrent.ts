import type { Bench } from '../harness/bench.ts';
import type { Figure } from '../harness/figure.ts';
import { sampled } from '../harness/figure.ts';
import { alternate } from '../harness/rounds.ts';
import { median } from '../harness/quantile.ts';
import type { MakeCall } from './compared.ts';
import { comparedWithSdk } from './compared.ts';

const CHATS = 50;
/**
 * Target for the time of the host as a multiple of the bare SDK: less than 5 % with a tool that takes 20 ms. With a tool
 * that takes no time, it is the CPU time per call.
 */
const TOOLS = [
  { tool: 'pause', takes: '20 ms', calls: 10, more: { atMost: 1.05 } },
  { tool: 'echo', takes: 'no time', calls: 20, more: {} },
] as const;

/** Fifty chats that call one server at the same time, through the host and through the bare SDK. */
export function measureConcurrent({ options, say }: Bench): Promise<Figure[]> {
  return comparedWithSdk(
    async ({ over, bare, hosted }) => {
      const figures: Figure[] = [];
      for (const { tool, takes, calls, more } of TOOLS) {
        say(`${String(CHATS)} chats that call ${tool} over ${over}`);
        const timed = (call: MakeCall) => () => milliseconds(call, { tool, calls });
        const pairs = await alternate({ rounds: options.quick ? 10 : 40, warmUp: 3 }, timed(bare), timed(hosted));
        const measure = `${String(CHATS)} chats at once, a tool that takes ${takes}, over ${over}: compared with the bare SDK`;
        const of = { calls: CHATS * calls, bareMedianMs: median(pairs.map(([ofBare]) => ofBare)) };
        const ratios = pairs.map(([ofBare, ofHost]) => ofHost / ofBare);
        figures.push(sampled(measure, ratios, 'times', { ...more, of }));
      }
      return figures;
    },
    // Elicitation is enabled, as in the Toolyard server.
    { form: () => Promise.resolve({ action: 'cancel' }) },
  );
}

async function milliseconds(call: MakeCall, { tool, calls }: { tool: string; calls: number }): Promise<number> {
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: CHATS }, async (_, chat) => {
      for (let at = 0; at < calls; at++)
        await call({ tool, chat: String(chat), message: `chat ${String(chat)}, call ${String(at)}` });
    }),
  );
  return performance.now() - begun;
}
