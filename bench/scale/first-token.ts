import { delaysOf } from '../run/first-token.ts';
import type { Finding } from '../support/finding.ts';
import { quantile, quartiles } from '../support/quantile.ts';
import type { Context } from './context.ts';

/** From the upstream's write to a reader of server-sent events, where nothing else goes on: everything lies between. */
export async function measureFirstToken({ place, options }: Context): Promise<Finding[]> {
  const answers = options.quick ? 20 : 100;
  const firsts: number[] = [];
  const later: number[] = [];
  // The first answers find cold code.
  for (let answer = -5; answer < answers; answer++) {
    const [first, ...rest] = await delaysOf(place.api);
    if (answer < 0 || first === undefined) continue;
    firsts.push(first);
    later.push(...rest);
  }
  const part = `${place.name}: first-token`;
  return [
    {
      part,
      measure: 'first token of an answer, from upstream to reader',
      value: quantile(firsts, 0.5),
      unit: 'ms',
      quartiles: quartiles(firsts),
      atMost: place.name === 'sqlite' ? 5 : 15,
      of: { answers, p99: quantile(firsts, 0.99) },
    },
    {
      part,
      measure: 'a later token after a pause of 60 ms',
      value: quantile(later, 0.5),
      unit: 'ms',
      quartiles: quartiles(later),
      of: { tokens: later.length, p99: quantile(later, 0.99) },
    },
  ];
}
