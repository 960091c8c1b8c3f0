import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

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
  const args = [CRUISE, 'packages', '--output-type', 'err'];
  const ran = spawnSync(process.execPath, args, { cwd: house, encoding: 'utf8' });
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

const FORBIDDEN = [
  ['the loop an MCP host', 'packages/agent-runtime/src/host.ts', 'packages/mcp-host/src/b.ts', 'agent-runtime-imports'],
  [
    'the loop a model',
    'packages/agent-runtime/src/model.ts',
    'packages/model-runtime/src/b.ts',
    'agent-runtime-imports',
  ],
  ['an MCP host a model', 'packages/mcp-host/src/a.ts', 'packages/model-runtime/src/b.ts', 'mcp-host-imports'],
  ['a model an MCP host', 'packages/model-runtime/src/a.ts', 'packages/mcp-host/src/b.ts', 'model-runtime-imports'],
  ['the words anything', 'packages/protocol/src/a.ts', 'packages/agent-runtime/src/b.ts', 'protocol-imports'],
  ['a room the tests', 'packages/agent-host/src/a.ts', 'testing/src/b.ts', 'published-never-imports-testing'],
  ['a room the tests of the whole', 'packages/server/src/a.ts', 'e2e/b.ts', 'nothing-imports-e2e'],
] as const;
const ISOMORPHIC = ['protocol', 'mcp-host', 'model-runtime', 'agent-runtime', 'agent-host'];
const READING = "import { readFileSync } from 'node:fs';\nexport const read = readFileSync;\n";

describe('in a house in which everything is forbidden', () => {
  let found: { code: number | null; output: string };
  beforeAll(() => {
    found = check(
      Object.fromEntries([
        ...FORBIDDEN.flatMap(([, from, to]) => Object.entries(importing(from, to))),
        ...ISOMORPHIC.map((room) => [`packages/${room}/src/reads.ts`, READING] as const),
      ]),
    );
  }, 60_000);

  test.each(FORBIDDEN)('it is found out if %s imports', (_, from, to, rule) => {
    expect(found.code).not.toBe(0);
    expect(found.output).toContain(`${rule}: ${from} → ${to}`);
  });

  test.each(ISOMORPHIC)('it is found out if %s reaches for Node', (room) => {
    expect(found.output).toContain(`isomorphic-rooms-have-no-node-builtins: packages/${room}/src/reads.ts → fs`);
  });
});

test('in a folder of its own a room may reach for Node, and what joins them may import all three', () => {
  const joined = ['mcp-host', 'model-runtime', 'agent-runtime'].flatMap((room) =>
    Object.entries(importing(`packages/agent-host/src/${room}.ts`, `packages/${room}/src/b.ts`)),
  );
  const reading = ISOMORPHIC.map((room) => [`packages/${room}/src/node/a.ts`, READING] as const);
  expect(check(Object.fromEntries([...joined, ...reading]))).toMatchObject({ code: 0 });
});
