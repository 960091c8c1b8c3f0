import { globSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ROOT } from './run.ts';
import { filesOf, kindOf, TEST_KINDS } from './test-kinds.ts';

const FOLDERS = ['packages', 'servers', 'testing', 'e2e', 'scripts', 'examples'];
const everyTest = FOLDERS.flatMap((folder) =>
  globSync(`${folder}/**/*.test.ts`, { cwd: ROOT, exclude: ['**/node_modules/**', '**/.svelte-kit/**'] }),
);

describe('kinds of tests', () => {
  it('includes every test file in exactly one kind', () => {
    const counted = new Map<string, number>();
    for (const kind of TEST_KINDS) {
      const { include, exclude } = filesOf(kind);
      for (const file of globSync(include, { cwd: ROOT, exclude })) counted.set(file, (counted.get(file) ?? 0) + 1);
    }
    const expected = everyTest.filter((file) => !file.endsWith('.long.test.ts'));
    expect([...counted.keys()].toSorted()).toEqual(expected.toSorted());
    expect([...counted.values()].filter((times) => times !== 1)).toEqual([]);
  });

  it('names the kind of a file', () => {
    expect(kindOf('e2e/page-chat.test.ts')).toBe('browser');
    expect(kindOf('e2e/peers/bridges.test.ts')).toBe('processes');
    expect(kindOf('packages/cli/src/mcp/mcp.test.ts')).toBe('cli');
    expect(kindOf('packages/web/src/lib/browser-storage.test.ts')).toBe('page');
    expect(kindOf('packages/server/src/http/errors.test.ts')).toBe('packages');
  });
});
