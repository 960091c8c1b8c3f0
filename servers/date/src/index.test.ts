import { expect, test } from 'vitest';
import * as room from './index.ts';

test('the package exports exactly this', () => {
  expect(Object.keys(room).sort()).toEqual([
    'createDateServer',
    'dateServerCommand',
    'serveDateOverHttp',
    'serveDateOverStdio',
  ]);
});
