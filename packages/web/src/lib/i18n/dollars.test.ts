import { expect, it } from 'vitest';
import { dollars } from './dollars.ts';

it('formats dollars with two significant digits below a dollar', () => {
  expect([0, 0.000012345, 0.0234, 0.5, 1, 3.75, 22.5, 1234.567].map((amount) => dollars(amount, 'en'))).toEqual([
    '$0',
    '$0.000012',
    '$0.023',
    '$0.5',
    '$1',
    '$3.75',
    '$22.5',
    '$1,234.57',
  ]);
});
