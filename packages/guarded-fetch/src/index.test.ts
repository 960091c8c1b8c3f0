import { expect, test } from 'vitest';
import * as root from './index.ts';

test('exports these names and no others', () => {
  expect(Object.keys(root).sort()).toEqual([
    'checkUrl',
    'createGuardedFetch',
    'isRefusedAddress',
    'readBody',
    'trustOrigins',
    'trustSameHost',
  ]);
});
