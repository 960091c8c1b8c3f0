import { expect, it } from 'vitest';
import { createRandom } from '@toolyard/testing';
import type { Role } from './plan.ts';
import { planFaults } from './plan.ts';

it('plans the same faults for the same seed, and others for another seed', () => {
  const plan = (seed: number): unknown =>
    planFaults({ random: createRandom(seed), roles: ['all', 'all', 'all'], forMs: 60_000 });
  expect(plan(1)).toEqual(plan(1));
  expect(plan(1)).not.toEqual(plan(2));
});

it('leaves one process without a fault at any time, and plans every kind of fault within a minute', () => {
  for (let seed = 1; seed <= 50; seed++) {
    const faults = planFaults({ random: createRandom(seed), roles: ['all', 'all', 'all'], forMs: 60_000 });
    expect(new Set(faults.map(({ kind }) => kind)).size).toBe(7);
    for (const { at } of faults) {
      const struck = faults.flatMap((fault) =>
        'slot' in fault && fault.at <= at && at < fault.at + fault.ms ? [fault.slot] : [],
      );
      expect(new Set(struck).size).toBe(struck.length);
      expect(struck.length).toBeLessThan(3);
    }
  }
});

it('leaves one worker without a fault if processes have different roles', () => {
  const roles: Role[] = ['web', 'worker', 'worker', 'tools'];
  for (let seed = 1; seed <= 50; seed++) {
    const faults = planFaults({ random: createRandom(seed), roles, forMs: 120_000 });
    for (const { at } of faults) {
      const struck = faults.flatMap((fault) =>
        'slot' in fault && fault.at <= at && at < fault.at + fault.ms ? [fault.slot] : [],
      );
      expect(struck.filter((slot) => roles[slot] === 'worker').length).toBeLessThan(2);
    }
  }
});
