import { expect, test } from 'vitest';
import * as root from './index.ts';

test('the package offers this and nothing else', () => {
  expect(Object.keys(root)).toEqual(['startServer', 'describeLockHolder']);
});
