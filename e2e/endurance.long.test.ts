import { expect, it } from 'vitest';
import { TEST_SEED } from '@toolyard/testing';
import { describeOnPostgres } from '@toolyard/testing/on-postgres';
import { expectEnduranceResult } from './endurance/expect-result.ts';

/** Long enough for every kind of fault; about a minute with the remaining runs. */
const FOR_MS = 35_000;

describeOnPostgres('three servers over one database, for a minute', (cluster) => {
  it(
    `lose and repeat nothing under all kinds of faults (TOOLYARD_SEED=${String(TEST_SEED)})`,
    { timeout: 900_000 },
    async () => {
      const result = await expectEnduranceResult({ cluster: cluster(), forMs: FOR_MS, people: 4 });
      expect(result.received).toBeGreaterThan(0);
    },
  );
});
