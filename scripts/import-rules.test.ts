import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkImports } from './import-rules.ts';

const folder = mkdtempSync(join(tmpdir(), 'toolyard-imports-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The violations in a repository of these files. */
function check(files: Readonly<Record<string, string>>): string[] {
  const root = mkdtempSync(join(folder, 'repository-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return checkImports(root)?.split('\n') ?? [];
}

const up = (from: string): string => '../'.repeat(from.split('/').length - 1);

/** Two files, the second imported by the first. */
const importing = (from: string, to: string): Record<string, string> => ({
  [to]: 'export const x = 1;\n',
  [from]: `import { x } from '${up(from)}${to}';\nexport const y = x;\n`,
});

/** The rule, and the importing and the imported file. */
const FORBIDDEN = [
  ['agent-runtime-imports', 'packages/agent-runtime/src/host.ts', 'packages/mcp-host/src/b.ts'],
  ['agent-runtime-imports', 'packages/agent-runtime/src/model.ts', 'packages/model-runtime/src/b.ts'],
  ['mcp-host-imports', 'packages/mcp-host/src/a.ts', 'packages/model-runtime/src/b.ts'],
  ['model-runtime-imports', 'packages/model-runtime/src/a.ts', 'packages/mcp-host/src/b.ts'],
  ['protocol-imports', 'packages/protocol/src/a.ts', 'packages/agent-runtime/src/b.ts'],
  ['guarded-fetch-imports', 'packages/guarded-fetch/src/a.ts', 'packages/storage/src/b.ts'],
  ['storage-imports', 'packages/storage/src/a.ts', 'packages/server/src/b.ts'],
  ['agent-host-imports', 'packages/agent-host/src/c.ts', 'packages/storage/src/b.ts'],
  ['server-imports', 'packages/server/src/c.ts', 'packages/cli/src/b.ts'],
  ['web-imports', 'packages/web/src/a.ts', 'packages/storage/src/b.ts'],
  ['published-never-imports-testing', 'packages/agent-host/src/a.ts', 'testing/src/b.ts'],
  ['nothing-imports-e2e', 'packages/server/src/a.ts', 'e2e/b.ts'],
  ['servers-import-no-other-package', 'servers/date/src/a.ts', 'packages/cli/src/b.ts'],
  ['isomorphic-code-never-reaches-node-folders', 'packages/protocol/src/d.ts', 'packages/protocol/src/node/b.ts'],
  ['index-is-for-others', 'packages/cli/src/c.ts', 'packages/cli/src/index.ts'],
] as const;
const ISOMORPHIC = ['protocol', 'mcp-host', 'model-runtime', 'agent-runtime', 'agent-host'];
const READING = "import { readFileSync } from 'node:fs';\nexport const read = readFileSync;\n";

describe('in a repository that breaks every rule', () => {
  let found: string[];
  beforeAll(() => {
    found = check(
      Object.fromEntries([
        ...FORBIDDEN.flatMap(([, from, to]) => Object.entries(importing(from, to))),
        ...ISOMORPHIC.map((name) => [`packages/${name}/src/reads.ts`, READING] as const),
      ]),
    );
  });

  test.each(FORBIDDEN)('%s: reports that %s imports %s', (rule, from, to) => {
    expect(found).toContain(`${rule}: ${from} → ${to}`);
  });

  test.each(ISOMORPHIC)('reports that %s imports a module of Node', (name) => {
    expect(found).toContain(`isomorphic-packages-have-no-node-builtins: packages/${name}/src/reads.ts → fs`);
  });
});

test('allows Node modules in a node folder, and the imports of the agent host', () => {
  const joined = ['mcp-host', 'model-runtime', 'agent-runtime'].flatMap((name) =>
    Object.entries(importing(`packages/agent-host/src/${name}.ts`, `packages/${name}/src/b.ts`)),
  );
  const reading = ISOMORPHIC.map((name) => [`packages/${name}/src/node/a.ts`, READING] as const);
  expect(check(Object.fromEntries([...joined, ...reading]))).toEqual([]);
});

test('allows the tests of a package to import testing', () => {
  expect(check(importing('packages/protocol/src/a.test.ts', 'testing/src/b.ts'))).toEqual([]);
});

test('reports a cycle of imports once, with all its files', () => {
  const files = {
    'packages/cli/src/a.ts': "import './b.ts';\n",
    'packages/cli/src/b.ts': "import type { C } from './c.ts';\nexport type B = C;\n",
    'packages/cli/src/c.ts': "export type C = import('./a.ts').A;\n",
    'packages/cli/src/before.ts': "import './a.ts';\n",
    'packages/cli/src/itself.ts': "import './itself.ts';\n",
  };
  expect(check(files)).toEqual([
    `no-circular: ${['a', 'b', 'c', 'a'].map((name) => `packages/cli/src/${name}.ts`).join(' → ')}`,
    'no-circular: packages/cli/src/itself.ts → packages/cli/src/itself.ts',
  ]);
});

test.each([
  ['an import', 'a.ts', "import { x } from './b.ts';"],
  ['an import for its side effects', 'a.ts', "import './b.ts';"],
  ['a type import', 'a.ts', "import type { x } from './b.ts';"],
  ['an export', 'a.ts', "export * from './b.ts';"],
  ['an export of names', 'a.ts', "export { x } from './b.ts';"],
  ['a dynamic import', 'a.ts', "export const a = () => import('./b.ts');"],
  ['a dynamic import of a template literal', 'a.ts', 'export const a = () => import(`./b.ts`);'],
  ['the type of an import', 'a.ts', "export type A = import('./b.ts').B;"],
  ['require', 'a.cjs', "const b = require('./b.ts');"],
  ['import = require', 'a.ts', "import b = require('./b.ts');"],
  ['the script of a component', 'A.svelte', '<script lang="ts">\n  import b from \'./b.ts\';\n</script>\n{b}'],
  ['the markup of a component', 'A.svelte', "{#await import('./b.ts')}{/await}"],
])('finds %s', (_, name, text) => {
  expect(check({ [`packages/cli/src/${name}`]: text })).toEqual([`no-unresolvable: packages/cli/src/${name} → ./b.ts`]);
});

test('ignores imports in comments and strings, and what SvelteKit generates', () => {
  const text =
    "// import './b.ts';\nexport const a = \"import('./b.ts')\";\nimport '$app/state';\nimport './$types';\n";
  expect(check({ 'packages/web/src/a.ts': text })).toEqual([]);
});
