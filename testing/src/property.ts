/**
 * fast-check with the seed of the tests. All property tests import it from here.
 * @module
 */
import fc from 'fast-check';
import { TEST_SEED } from './seed.ts';

/** `all`: properties are tried with every case. Set by `npm run fuzz` and `npm run test:long`. */
const CASES_VARIABLE = 'TOOLYARD_CASES';

/** Also for tests whose inputs are large in a long run and small in `npm test`. */
export const ALL_CASES = process.env[CASES_VARIABLE] === 'all';

const FEWEST = 10;

/** How many cases a property is tried with: `count` where all are wanted; `npm test` takes a tenth of them. */
export function cases(count: number): { numRuns: number } {
  return { numRuns: ALL_CASES ? count : Math.min(count, Math.max(FEWEST, Math.ceil(count / 10))) };
}

fc.configureGlobal({ seed: TEST_SEED, ...cases(300) });

/**
 * Any code point, for strings of anything: `fc.string({ unit: codePoint })`. The same as the unit `binary` of fast-check,
 * without its map of all 1.1 million characters, which takes half a second of CPU time and 100 MB in each worker process.
 */
export const codePoint: fc.Arbitrary<string> = fc
  .nat({ max: 0x10_f7_ff })
  .map((index) => String.fromCodePoint(index < 0xd8_00 ? index : index + 0x8_00));

export { fc };
