import { expect, test, vi } from 'vitest';
import { needs } from '../testing/src/needs.ts';
import { formatSkips } from './skips.ts';

const browser = { need: 'browser', reason: 'install the package with the library libnss3.so' };
const root = { need: 'unprivileged-user', reason: 'root may write everywhere' };
const NO_BROWSER = { name: 'browser', missing: browser.reason } as const;

test('counts skipped tests by reason', () => {
  const skips = [
    { file: '/a.test.ts', missing: root },
    { file: '/a.test.ts', missing: browser },
    { file: '/a.test.ts', missing: browser },
    { file: '/b.test.ts', missing: browser },
  ];
  expect(formatSkips(skips)).toEqual([
    'skipped: 3 tests in 2 files (browser): install the package with the library libnss3.so',
    'skipped: 1 test in 1 file (unprivileged-user): root may write everywhere',
  ]);
});

test('a test is skipped for what is missing, unless that is required', () => {
  vi.stubEnv('TOOLYARD_REQUIRED', 'postgres terminal');
  expect(needs(NO_BROWSER)).toEqual({ skip: true, meta: { missing: browser } });
  expect(needs({ name: 'browser', missing: null })).toEqual({});
  vi.stubEnv('TOOLYARD_REQUIRED', 'postgres browser');
  expect(() => needs(NO_BROWSER)).toThrow('TOOLYARD_REQUIRED names browser: install the package');
});

test('an unknown name in TOOLYARD_REQUIRED is reported', () => {
  vi.stubEnv('TOOLYARD_REQUIRED', 'postgres browsers');
  expect(() => needs()).toThrow('unknown need "browsers"');
});
