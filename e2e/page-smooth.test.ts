import { expect, test } from 'vitest';
import { describeSmooth } from './support/smooth.ts';

describeSmooth((lengthsSeen) => {
  test('appears at once for who wants nothing to move', async () => {
    expect(await lengthsSeen('reduce')).toBe(0);
  });
});
