import type { Figure } from '../harness/figure.ts';
import { sampled } from '../harness/figure.ts';
import { PROVIDER } from '../mock-model/start.ts';
import { stampsIn } from '../mock-model/texts.ts';
import type { Api } from '../harness/api.ts';
import { quantile } from '../harness/quantile.ts';

/** Latency from the model's write to a reader of server-sent events, on an idle server. */
export async function measureFirstToken(
  api: Api,
  { quick, atMost }: { quick: boolean; atMost: number },
): Promise<Figure[]> {
  const answers = quick ? 20 : 100;
  const firsts: number[] = [];
  const later: number[] = [];
  // The first answers run cold code.
  for (let answer = -5; answer < answers; answer++) {
    const [first, ...rest] = await measureDelays(api);
    if (answer < 0 || first === undefined) continue;
    firsts.push(first);
    later.push(...rest);
  }
  return [
    sampled('first token of an answer, from upstream to reader', firsts, 'ms', {
      atMost,
      of: { answers, p99: quantile(firsts, 0.99) },
    }),
    sampled('a later token after a pause of 60 ms', later, 'ms', {
      of: { tokens: later.length, p99: quantile(later, 0.99) },
    }),
  ];
}

/** The latency of each token of one answer, in milliseconds. */
async function measureDelays(api: Api): Promise<number[]> {
  const conversation = await api.createConversation({ model: { providerId: PROVIDER, modelId: 'first' } });
  const run = await api.send(conversation, 'Say something.');
  const delays: number[] = [];
  await api.read(run, (events, at) => {
    for (const event of events)
      if (event.type === 'text_delta') delays.push(...stampsIn(event.text).map((sent) => Number(at - sent) / 1e6));
  });
  return delays;
}
