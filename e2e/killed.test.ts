import { describe, expect, it } from 'vitest';
import type { InDoubtAnswer } from '@toolyard/protocol';
import { describeKilledArtifact } from './faults/killed-artifact-cases.ts';
import type { InDoubtCase } from './faults/killed-cases.ts';
import { CERTAIN, describeKilled, IN_DOUBT, isShort, runKilled, TRANSCRIPT } from './faults/killed-cases.ts';
import { transcriptLines } from './support/transcript.ts';

describe('a run without faults', () => {
  it('passes every failpoint at which a test kills the server', async () => {
    const { view, counted, passed } = await runKilled(null, { doubt: { decision: 'failed' } });
    expect(transcriptLines(view.page.messages)).toEqual(TRANSCRIPT);
    expect(counted).toBe(1);
    const places = new Set([...CERTAIN, ...IN_DOUBT].map(([, place]) => place));
    expect(passed.filter((place) => place.startsWith('run:') && !places.has(place))).toEqual([]);
  });
});

describeKilledArtifact(['run:returned']);

// The other points and decisions: `killed.long.test.ts`.
describeKilled({ certain: CERTAIN.filter((each) => isShort(each)), inDoubt: IN_DOUBT.map(briefly) });

/** All decisions for the first point, one for each other. */
function briefly(each: InDoubtCase, index: number): [InDoubtCase, InDoubtAnswer['decision'][]] {
  const decisions = (['repeat', 'failed', 'result'] as const).filter(
    (_decision, at) => index === 0 || at === index - 1,
  );
  return [each, decisions];
}
