/**
 * What everything that is dealt by chance in the tests is dealt from. The same in each `npm test`, so that a change is
 * what makes a test fail and not luck; `TOOLYARD_SEED` deals otherwise, and `npm run fuzz` many times over.
 */
export const TEST_SEED = seedOf(process.env['TOOLYARD_SEED']);

function seedOf(given: string | undefined): number {
  if (given === undefined || given === '') return 1;
  const seed = Number(given);
  if (!Number.isInteger(seed)) throw new Error(`TOOLYARD_SEED has to be a whole number; it is "${given}".`);
  return seed;
}
