/**
 * fast-check with the seed of the tests. All property tests import it from here.
 * @module
 */
import fc from 'fast-check';
import { TEST_SEED } from './seed.ts';

/** `all` runs every property with all its cases. Set by `npm run test:long -- fuzz` and `npm run test:long`. */
const CASES_VARIABLE = 'TOOLYARD_CASES';

/** Also for tests whose inputs are large in a long run and small in `npm test`. */
export const ALL_CASES = process.env[CASES_VARIABLE] === 'all';

const FEWEST = 10;

/** The number of cases of a property: `count` in a long run, a tenth of them in `npm test`. */
export function cases(count: number): { numRuns: number } {
  return { numRuns: ALL_CASES ? count : Math.min(count, Math.max(FEWEST, Math.ceil(count / 10))) };
}

fc.configureGlobal({ seed: TEST_SEED, ...cases(300) });

/**
 * Any code point, for arbitrary strings: `fc.string({ unit: codePoint })`. Equals the unit `binary` of fast-check
 * without its map of all 1.1 million characters, which takes half a second of CPU time and 100 MB per worker process.
 */
export const codePoint: fc.Arbitrary<string> = fc
  .nat({ max: 0x10_f7_ff })
  .map((index) => String.fromCodePoint(index < 0xd8_00 ? index : index + 0x8_00));

export { fc };
