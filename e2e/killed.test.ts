import { describe, expect, it } from 'vitest';
import type { InDoubtAnswer } from '@toolyard/protocol';
import type { InDoubtCase } from './support/killed-cases.ts';
import { CERTAIN, describeKilled, IN_DOUBT, isShort, seenThrough, STORY } from './support/killed-cases.ts';
import { told } from './support/transcript.ts';

describe('an unkilled run', () => {
  it('passes every failpoint there is a kill at', async () => {
    const { view, counted, passed } = await seenThrough(null);
    expect(told(view.page.messages)).toEqual(STORY);
    expect(counted).toBe(1);
    const places = new Set([...CERTAIN, ...IN_DOUBT].map(([, place]) => place));
    expect([...passed].filter((place) => place.startsWith('run:') && !places.has(place))).toEqual([]);
  });
});

// The other moments and decisions: `killed.long.test.ts`.
describeKilled({ certain: CERTAIN.filter((each) => isShort(each)), inDoubt: IN_DOUBT.map(briefly) });

/** All decisions about the first, one about each other. */
function briefly(each: InDoubtCase, index: number): [InDoubtCase, InDoubtAnswer['decision'][]] {
  const decisions = (['repeat', 'failed', 'result'] as const).filter(
    (_decision, at) => index === 0 || at === index - 1,
  );
  return [each, decisions];
}
