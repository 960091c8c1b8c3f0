import { expect, it } from 'vitest';
import { decidedCount } from './decided-count.ts';

it('counts what a conversation decides itself', () => {
  expect(decidedCount({ instructions: '', parameters: {}, model: { providerId: 'a', modelId: 'b' } })).toBe(0);
  expect(
    decidedCount({
      instructions: 'x',
      parameters: { temperature: 0 },
      limits: { maxTurns: 1 },
      budgets: [{ of: 'run', dollars: 2 }],
      toolMode: 'text',
    }),
  ).toBe(5);
});
