import { describe, it } from 'vitest';
import { TEST_SEED } from '@toolyard/testing';
import { expectWholeDespite } from './support/random-kills.ts';

/** How many kills in all, chosen by the seed; their moments are the machine's. `TOOLYARD_TORTURE=500` takes a night. */
const KILLS = Number(process.env['TOOLYARD_TORTURE'] ?? 30);
const KILLS_PER_RUN = 6;

describe(`a server killed again and again at random (TOOLYARD_SEED=${TEST_SEED})`, () => {
  const runs = Math.ceil(KILLS / KILLS_PER_RUN);
  it.each(Array.from({ length: runs }, (_none, index) => TEST_SEED + index))(
    'seed %i: loses nothing and repeats no call',
    async (seed) => {
      process.stdout.write(`random kills: TOOLYARD_SEED=${seed}\n`);
      await expectWholeDespite(KILLS_PER_RUN, seed);
    },
  );
});
