import { expect, test } from 'vitest';
import * as entry from './index.ts';

test('exports exactly these names', () => {
  expect(Object.keys(entry)).toEqual(['createMcpMount']);
});
