import { describe, it } from 'vitest';
import { TEST_SEED } from '@toolyard/testing';
import { expectCompleteDespite } from './faults/random-kills.ts';

// More of them: `random-kills.long.test.ts`.
describe(`a server killed again and again at random (TOOLYARD_SEED=${TEST_SEED})`, () => {
  it('loses nothing and repeats no call', async () => {
    await expectCompleteDespite({ name: 'sqlite' }, 3, TEST_SEED);
  });
});
