/**
 * The seed of all randomness in the tests. It is the same in each `npm test`, so that only a change can make a test
 * fail; `TOOLYARD_SEED` sets another one, and `npm run test:long -- fuzz` tries many.
 */
export const TEST_SEED = readSeed(process.env['TOOLYARD_SEED']);

function readSeed(text: string | undefined): number {
  if (text === undefined || text === '') return 1;
  const seed = Number(text);
  if (!Number.isInteger(seed)) throw new Error(`TOOLYARD_SEED must be an integer (got "${text}").`);
  return seed;
}
