import { expect, test } from 'vitest';
import { formatSkips, skipsOfReport, unacceptedSkips } from './skips.ts';

const browser = { need: 'browser', reason: 'install the package with the library libnss3.so' };
const root = { need: 'unprivileged-user', reason: 'root may write everywhere' };

const skips = skipsOfReport({
  testResults: [
    {
      name: '/a.test.ts',
      assertionResults: [
        { status: 'passed', meta: {} },
        { status: 'failed', meta: {} },
        { status: 'skipped', meta: { missing: root } },
        { status: 'skipped', meta: { missing: browser } },
      ],
    },
    {
      name: '/b.test.ts',
      assertionResults: [
        { status: 'pending', meta: { missing: browser } },
        { status: 'skipped', meta: { missing: browser } },
      ],
    },
  ],
});

test('counts skipped tests by reason', () => {
  expect(formatSkips(skips)).toEqual([
    'skipped: 3 tests in 2 files (browser): install the package with the library libnss3.so',
    'skipped: 1 test in 1 file (unprivileged-user): root may write everywhere',
  ]);
});

test('accepts skips unless they are for something required', () => {
  expect(unacceptedSkips(skips, '')).toEqual([]);
  expect(unacceptedSkips(skips, 'postgres terminal')).toEqual([]);
  expect(unacceptedSkips(skips, 'postgres browser')).toEqual([
    'not accepted: skipped: 3 tests in 2 files (browser): install the package with the library libnss3.so',
  ]);
});

test('accepts no skip without a reason', () => {
  const report = { testResults: [{ name: '/a.test.ts', assertionResults: [{ status: 'skipped' }] }] };
  expect(unacceptedSkips(skipsOfReport(report), '')).toEqual([expect.stringContaining('no reason given')]);
});

test('reports an unknown name in TOOLYARD_REQUIRED', () => {
  expect(unacceptedSkips([], 'postgres browsers')).toEqual([expect.stringContaining('"browsers"')]);
});
