import { globSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ROOT } from './run.ts';
import { getFiles, getKind, TEST_KINDS } from './test-kinds.ts';

const FOLDERS = ['packages', 'servers', 'testing', 'e2e', 'scripts', 'examples'];
const everyTest = FOLDERS.flatMap((folder) =>
  globSync(`${folder}/**/*.test.ts`, { cwd: ROOT, exclude: ['**/node_modules/**', '**/.svelte-kit/**'] }),
);

describe('kinds of tests', () => {
  it('includes every test file in exactly one kind', () => {
    const counted = new Map<string, number>();
    for (const kind of TEST_KINDS) {
      const { include, exclude } = getFiles(kind);
      for (const file of globSync(include, { cwd: ROOT, exclude })) counted.set(file, (counted.get(file) ?? 0) + 1);
    }
    const expected = everyTest.filter((file) => !file.endsWith('.long.test.ts'));
    expect([...counted.keys()].toSorted()).toEqual(expected.toSorted());
    expect([...counted.values()].filter((times) => times !== 1)).toEqual([]);
  });

  it('names the kind of a file', () => {
    expect(getKind('e2e/page-chat.test.ts')).toBe('browser');
    expect(getKind('e2e/peers/bridges.test.ts')).toBe('processes');
    expect(getKind('packages/cli/src/mcp/mcp.test.ts')).toBe('cli');
    expect(getKind('packages/web/src/lib/browser-storage.test.ts')).toBe('page');
    expect(getKind('packages/server/src/http/errors.test.ts')).toBe('packages');
  });
});
