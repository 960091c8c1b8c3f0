import { expect, test } from 'vitest';
import { affectedTests } from './affected-tests.ts';

const IMPORTERS = new Map([
  ['packages/storage/src/a.ts', ['packages/storage/src/b.ts', 'packages/storage/src/a.test.ts']],
  ['packages/storage/src/b.ts', ['packages/server/src/b.test.ts', 'e2e/roles.test.ts', 'packages/storage/src/a.ts']],
  ['packages/storage/src/other.ts', ['packages/storage/src/other.test.ts']],
]);

test('selects tests that import a changed file, nearest first, and process tests separately', () => {
  expect(affectedTests(['packages/storage/src/a.ts'], IMPORTERS)).toEqual({
    unit: ['packages/storage/src/a.test.ts', 'packages/server/src/b.test.ts'],
    processes: ['e2e/roles.test.ts'],
  });
});

test('selects a changed test', () => {
  expect(affectedTests(['packages/storage/src/new.test.ts'], IMPORTERS).unit).toEqual([
    'packages/storage/src/new.test.ts',
  ]);
});

test('selects tests that name a changed file which cannot be imported', () => {
  expect(affectedTests(['.npmrc'], new Map()).unit).toContain('scripts/installation.test.ts');
});
