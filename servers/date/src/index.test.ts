import { expect, test } from 'vitest';
import * as room from './index.ts';

test('the package offers these names and no others', () => {
  expect(Object.keys(room).sort()).toEqual([
    'createDateServer',
    'dateServerCommand',
    'serveDateOverHttp',
    'serveDateOverStdio',
  ]);
});
