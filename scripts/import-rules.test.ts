import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const CRUISE = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');

const folder = mkdtempSync(join(tmpdir(), 'toolyard-imports-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What the import rules say of a house that has these files and nothing else. */
function check(files: Record<string, string>): { code: number | null; output: string } {
  const house = mkdtempSync(join(folder, 'house-'));
  for (const name of ['.dependency-cruiser.cjs', 'tsconfig.json']) copyFileSync(join(ROOT, name), join(house, name));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(house, name)), { recursive: true });
    writeFileSync(join(house, name), text);
  }
  return cruise(house, ['packages']);
}

function cruise(cwd: string, folders: readonly string[]): { code: number | null; output: string } {
  const args = [CRUISE, ...folders, '--output-type', 'err'];
  const ran = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
  return { code: ran.status, output: ran.stdout + ran.stderr };
}

/** Two files, the second imported by the first. */
const importing = (from: string, to: string): Record<string, string> => {
  const up = dirname(from)
    .split('/')
    .map(() => '..');
  return {
    [from]: `import { x } from '${[...up, to].join('/')}';\nexport const y = x;\n`,
    [to]: 'export const x = 1;\n',
  };
};

test('the rooms import nothing but what the architecture lets them', () => {
  expect(cruise(ROOT, ['packages', 'servers', 'testing', 'e2e'])).toMatchObject({ code: 0 });
});

test.each([
  ['the loop an MCP host', 'packages/agent-runtime/src/a.ts', 'packages/mcp-host/src/b.ts', 'agent-runtime-imports'],
  ['the loop a model', 'packages/agent-runtime/src/a.ts', 'packages/model-runtime/src/b.ts', 'agent-runtime-imports'],
  ['an MCP host a model', 'packages/mcp-host/src/a.ts', 'packages/model-runtime/src/b.ts', 'mcp-host-imports'],
  ['a model an MCP host', 'packages/model-runtime/src/a.ts', 'packages/mcp-host/src/b.ts', 'model-runtime-imports'],
  ['the words anything', 'packages/protocol/src/a.ts', 'packages/agent-runtime/src/b.ts', 'protocol-imports'],
  ['a room the tests', 'packages/agent-host/src/a.ts', 'testing/src/b.ts', 'published-never-imports-testing'],
  ['a room the tests of the whole', 'packages/server/src/a.ts', 'e2e/b.ts', 'nothing-imports-e2e'],
])('it is found out if %s imports', (_, from, to, rule) => {
  const { code, output } = check(importing(from, to));
  expect(code).not.toBe(0);
  expect(output).toContain(rule);
});

test.each(['protocol', 'mcp-host', 'model-runtime', 'agent-runtime', 'agent-host'])(
  'it is found out if %s reaches for Node, but in a folder of its own',
  (room) => {
    const text = "import { readFileSync } from 'node:fs';\nexport const read = readFileSync;\n";
    const { code, output } = check({ [`packages/${room}/src/a.ts`]: text });
    expect(code).not.toBe(0);
    expect(output).toContain('isomorphic-rooms-have-no-node-builtins');
    expect(check({ [`packages/${room}/src/node/a.ts`]: text })).toMatchObject({ code: 0 });
  },
);

test('what joins them may import all three', () => {
  for (const room of ['mcp-host', 'model-runtime', 'agent-runtime']) {
    expect(check(importing('packages/agent-host/src/a.ts', `packages/${room}/src/b.ts`))).toMatchObject({ code: 0 });
  }
});
