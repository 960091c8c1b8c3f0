import { expect, test } from 'vitest';
import { describeSmooth } from './support/smooth.ts';

// Not in `npm test` until it is known why the whole piece is sometimes shown at once (docs/plan-tests.md). What
// `SmoothText` shows frame by frame is tested beside it.
describeSmooth((lengthsSeen) => {
  test('appears letter by letter', async () => {
    expect(await lengthsSeen('no-preference')).toBeGreaterThan(4);
  });
});
