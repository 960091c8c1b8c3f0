import { quartiles, quantile } from '../support/quantile.ts';
import type { Api } from '../support/api.ts';
import { createApi } from '../support/api.ts';
import type { Context } from './context.ts';
import { serve } from './context.ts';
import { PROVIDER } from '../support/start-upstream.ts';
import type { Finding } from '../support/finding.ts';
import { makeDataFolder } from '../support/server.ts';
import { stampsIn } from '../support/words.ts';

/** From the upstream's write to a reader of server-sent events, where nothing else goes on: everything lies between. */
export async function measureFirstToken(context: Context): Promise<Finding[]> {
  const answers = context.options.quick ? 20 : 100;
  using folder = makeDataFolder();
  const server = await serve(context, 'first-token', { dataFolder: folder.path });
  try {
    const api = createApi(server.url);
    const firsts: number[] = [];
    const later: number[] = [];
    // The first answers find cold code.
    for (let answer = -5; answer < answers; answer++) {
      const [first, ...rest] = await delaysOf(api);
      if (answer < 0 || first === undefined) continue;
      firsts.push(first);
      later.push(...rest);
    }
    return [
      {
        part: 'first-token',
        measure: 'first token of an answer, from upstream to reader',
        value: quantile(firsts, 0.5),
        unit: 'ms',
        quartiles: quartiles(firsts),
        atMost: 5,
        of: { answers, p99: quantile(firsts, 0.99) },
      },
      {
        part: 'first-token',
        measure: 'a later token after a pause of 60 ms',
        value: quantile(later, 0.5),
        unit: 'ms',
        quartiles: quartiles(later),
        of: { tokens: later.length, p99: quantile(later, 0.99) },
      },
    ];
  } finally {
    await server.end();
  }
}

/** How long each token of one answer was under way, in milliseconds. It may be asked for at one door and read at another. */
export async function delaysOf(api: Api, reader = api): Promise<number[]> {
  const conversation = await api.createConversation({ model: { providerId: PROVIDER, modelId: 'first' } });
  const run = await api.send(conversation, 'Say something.');
  const delays: number[] = [];
  await reader.read(run, (events, at) => {
    for (const event of events) {
      if (event.type === 'text_delta') delays.push(...stampsIn(event.text).map((sent) => Number(at - sent) / 1e6));
    }
  });
  return delays;
}
