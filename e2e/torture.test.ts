import { beforeAll, describe, expect, it } from 'vitest';
import { describeOnPostgres } from '@toolyard/testing/on-postgres';
import type { Engine, Ordeal } from './torture/torture.ts';
import { deathsIn, endure, sampleOf } from './torture/torture.ts';

/** `TOOLYARD_SEED` repeats what was chosen; all of it is `npm run torture`. */
const SEED = Number(process.env['TOOLYARD_SEED'] ?? Date.now() % 1_000_000);

function tortures(engine: () => Engine, sample: number): void {
  let undisturbed: Ordeal;
  beforeAll(async () => {
    undisturbed = await endure(engine(), null);
  }, 60_000);

  it('undisturbed, the story is told whole', () => {
    expect(undisturbed.problems).toEqual([]);
    expect(undisturbed.story).toEqual([
      'user: Count, please.',
      'assistant: Let me count. count {"n":1} count {"n":2} (tool_calls)',
      'tool: counted (done)',
      'tool: counted (done)',
      'assistant:  count {"n":3} (tool_calls)',
      'tool: counted (done)',
      'assistant: I have counted all there was, as you asked me to do. (stop)',
      'user: And once more.',
      'assistant: Again. count {"n":4} (tool_calls)',
      'tool: counted (done)',
      'assistant: That was once more. (stop)',
    ]);
  });

  it(
    `killed at ${sample} of its moments (TOOLYARD_SEED=${SEED}), it is told the same`,
    { timeout: 240_000 },
    async () => {
      const deaths = sampleOf(deathsIn(undisturbed.passed), sample, SEED);
      const wrong: unknown[] = [];
      for (const death of deaths) {
        const { problems, story } = await endure(engine(), death);
        const told = JSON.stringify(story) === JSON.stringify(undisturbed.story) ? [] : [story];
        if (problems.length + told.length > 0) wrong.push({ death, problems, told });
      }
      process.stdout.write(`torture: ${engine().name}, TOOLYARD_SEED=${SEED}: ${deaths.length} deaths\n`);
      expect(wrong).toEqual([]);
    },
  );
}

describe('a server on SQLite', () => {
  tortures(() => ({ name: 'sqlite' }), 8);
});

describeOnPostgres('a server on PostgreSQL', (cluster) => {
  tortures(() => ({ name: 'postgres', cluster: cluster() }), 3);
});
