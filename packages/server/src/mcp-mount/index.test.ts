import { expect, test } from 'vitest';
import * as entry from './index.ts';

test('the entry offers this and nothing else', () => {
  expect(Object.keys(entry)).toEqual(['createMcpMount']);
});
