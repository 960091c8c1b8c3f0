import { expect, test } from 'vitest';
import { roundsOf } from './group-rounds.ts';

test('the default number of rounds follows the mode, a chosen number does not', () => {
  const led = { kind: 'supervisor', supervisor: { agentId: 'a' } } as const;
  const inOrder = [{ kind: 'round_robin' }, { kind: 'fixed_order' }] as const;
  expect(roundsOf({ mode: led })).toBe(10);
  for (const mode of inOrder) expect(roundsOf({ mode })).toBe(1);
  for (const mode of [led, ...inOrder]) expect(roundsOf({ mode, maxRounds: 4 })).toBe(4);
});
