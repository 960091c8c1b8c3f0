import { expect, it } from 'vitest';
import { createRandom } from '@toolyard/testing';
import type { Role } from './plan.ts';
import { planFaults } from './plan.ts';

it('the same seed deals the same blows, another one others', () => {
  const plan = (seed: number): unknown =>
    planFaults({ random: createRandom(seed), roles: ['all', 'all', 'all'], forMs: 60_000 });
  expect(plan(1)).toEqual(plan(1));
  expect(plan(1)).not.toEqual(plan(2));
});

it('at any time one process is left alone, and a minute sees every kind of blow', () => {
  for (let seed = 1; seed <= 50; seed++) {
    const blows = planFaults({ random: createRandom(seed), roles: ['all', 'all', 'all'], forMs: 60_000 });
    expect(new Set(blows.map(({ kind }) => kind)).size).toBe(7);
    for (const { at } of blows) {
      const struck = blows.flatMap((blow) =>
        'slot' in blow && blow.at <= at && at < blow.at + blow.ms ? [blow.slot] : [],
      );
      expect(new Set(struck).size).toBe(struck.length);
      expect(struck.length).toBeLessThan(3);
    }
  }
});

it('where each has its own task, one that takes up runs is left alone', () => {
  const roles: Role[] = ['web', 'worker', 'worker', 'tools'];
  for (let seed = 1; seed <= 50; seed++) {
    const blows = planFaults({ random: createRandom(seed), roles, forMs: 120_000 });
    for (const { at } of blows) {
      const struck = blows.flatMap((blow) =>
        'slot' in blow && blow.at <= at && at < blow.at + blow.ms ? [blow.slot] : [],
      );
      expect(struck.filter((slot) => roles[slot] === 'worker').length).toBeLessThan(2);
    }
  }
});
