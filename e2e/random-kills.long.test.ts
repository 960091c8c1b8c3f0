import { describe, it } from 'vitest';
import { TEST_SEED } from '@toolyard/testing';
import { describeOnPostgres } from '@toolyard/testing/on-postgres';
import { expectCompleteDespite } from './faults/random-kills.ts';
import type { Engine } from './faults/run-with-faults.ts';

/** How many kills in all, chosen by the seed; their times are the machine's. `TOOLYARD_TORTURE=500` takes a night. */
const KILLS = Number(process.env['TOOLYARD_TORTURE'] ?? 30);
const KILLS_PER_RUN = 6;

describe(`a server on SQLite killed again and again at random (TOOLYARD_SEED=${TEST_SEED})`, () => {
  testRandomKills(() => ({ name: 'sqlite' }), KILLS);
});

describeOnPostgres('a server on PostgreSQL killed again and again at random', (cluster) => {
  testRandomKills(() => ({ name: 'postgres', cluster: cluster() }), KILLS / 3);
});

function testRandomKills(engine: () => Engine, kills: number): void {
  const runs = Math.ceil(kills / KILLS_PER_RUN);
  it.each(Array.from({ length: runs }, (_none, index) => TEST_SEED + index))(
    'seed %i: loses nothing and repeats no call',
    async (seed) => {
      process.stdout.write(`random kills: TOOLYARD_SEED=${seed}\n`);
      await expectCompleteDespite(engine(), KILLS_PER_RUN, seed);
    },
  );
}
