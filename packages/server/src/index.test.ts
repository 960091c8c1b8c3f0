import { expect, test } from 'vitest';
import * as root from './index.ts';

test('exports exactly these names', () => {
  expect(Object.keys(root).toSorted()).toEqual(['describeLockHolder', 'startServer']);
});
