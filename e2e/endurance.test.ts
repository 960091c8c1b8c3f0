import { it } from 'vitest';
import { TEST_SEED } from '@toolyard/testing';
import { describeOnPostgres } from '@toolyard/testing/on-postgres';
import { expectEnduranceResult } from './endurance/expect-result.ts';
import type { TimedFault } from './endurance/plan.ts';

/** A restart of one process, and a crash of the database. All kinds of faults: `endurance.long.test.ts`. */
const FAULTS: TimedFault[] = [
  { kind: 'leave', slot: 0, at: 1_000, ms: 200 },
  { kind: 'immediate', at: 2_500, ms: 100 },
];

describeOnPostgres('two servers over one database, under load', (cluster) => {
  it(`lose and repeat nothing when one is restarted and the database crashes (TOOLYARD_SEED=${String(TEST_SEED)})`, async () => {
    const options = { forMs: 3_500, restMs: 60_000, people: 2, faults: FAULTS };
    await expectEnduranceResult({ ...options, cluster: cluster(), roles: ['all', 'all'] });
  });
});
