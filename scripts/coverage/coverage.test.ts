import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runNode } from '@toolyard/testing';
import { rolldown } from 'rolldown';
import ts from 'typescript';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readExecutions } from './executions.ts';
import { foldersOf, writeRecord } from './record.ts';
import { comparisonOf, summarize, tableOf, uncovered } from './report.ts';
import { universeOf } from './universe.ts';

const MAIN = `import { twice } from '../../two/src/twice.ts';
interface Shape { size: number }
class Counter { count = 0; unused(): number { return this.count; } }
const counter: Counter = new Counter();
function never(): number { return 7; }
if (process.argv.length > 50) counter.count = never();
else counter.count = [1].map((one: number) => twice(one))[0] ?? 0;
export const shape: Shape = { size: counter.count };
`;
const TWICE = `export function twice(n: number): number {
  if (n > 100) {
    throw new Error('too large');
  }
  return n + n;
}
`;
const SOURCES = new Map([
  ['packages/one/src/main.ts', MAIN],
  ['packages/two/src/twice.ts', TWICE],
]);
/** Uncovered statements after `main` has run. */
const NOT_RUN = {
  'packages/one/src/main.ts': ['3: return this.count;', '5: return 7;', '6: counter.count = never();'],
  'packages/two/src/twice.ts': ["3: throw new Error('too large');"],
};

let root: string;
let folder: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'toolyard-coverage-'));
  folder = join(root, 'raw');
  for (const path of Object.values(foldersOf(folder))) mkdirSync(path, { recursive: true });
  for (const [file, text] of SOURCES) write(file, text);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(file: string, text: string): string {
  const path = join(root, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const universe = universeOf(SOURCES);
const notRun = () => {
  const { covered } = readExecutions(root, folder, universe);
  return uncovered(universe, covered, (file) => SOURCES.get(file) ?? '');
};

const environment = () => ({ NODE_V8_COVERAGE: foldersOf(folder).node, NODE_DISABLE_COMPILE_CACHE: '1' });

async function bundle(minify: boolean): Promise<string> {
  const build = await rolldown({ cwd: root, input: 'packages/one/src/main.ts', platform: 'node' });
  const dir = join(root, 'out', 'deep');
  await build.write({ dir, format: 'esm', sourcemap: 'hidden', minify });
  await build.close();
  return join(dir, 'main.js');
}

test.each([{ minify: false }, { minify: true }])(
  'maps executed code of a bundle to its sources (minify: $minify)',
  async (how) => {
    const ran = await runNode([await bundle(how.minify)], { env: environment() });
    expect(ran).toMatchObject({ code: 0 });
    expect(notRun()).toEqual(NOT_RUN);
  },
);

test('maps executed code of type-stripped sources', async () => {
  const ran = await runNode([join(root, 'packages/one/src/main.ts')], {
    env: environment(),
  });
  expect(ran).toMatchObject({ code: 0 });
  expect(notRun()).toEqual(NOT_RUN);
});

test('maps executed code of a module that Vitest has transformed and wrapped', () => {
  const fileName = join(root, 'packages/two/src/twice.ts');
  const { outputText } = ts.transpileModule(TWICE, {
    fileName,
    compilerOptions: { inlineSourceMap: true, target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext },
  });
  const code = `'use strict';async (a,b)=>{{${outputText.replace('export ', '       ')}\n}}`;
  const rangeOf = (start: number, end: number, count: number) => ({
    ranges: [{ startOffset: start, endOffset: end, count }],
  });
  const begin = code.indexOf('function');
  const end = code.indexOf('//#');
  const error = [code.indexOf('{', code.indexOf('100')), code.indexOf('}', code.indexOf('throw')) + 1] as const;
  const functions = [rangeOf(0, code.length, 1), rangeOf(begin, end, 1), rangeOf(...error, 0)];
  writeRecord(folder, [{ url: fileName, functions, code }]);
  expect(notRun()['packages/two/src/twice.ts']).toEqual(NOT_RUN['packages/two/src/twice.ts']);
});

test('rejects a record of transformed code without a source map', () => {
  writeRecord(folder, [
    { url: join(root, 'packages/two/src/twice.ts'), functions: [], code: "'use strict';async (a)=>{{}}" },
  ]);
  expect(() => readExecutions(root, folder, universe)).toThrow('twice.ts has no source map');
});

test('counts code that a process executed before it killed itself', async () => {
  const flush = pathToFileURL(join(import.meta.dirname, 'flush.ts')).href;
  const program = write(
    'out/killed.mjs',
    `import ${JSON.stringify(flush)}; await import('../packages/one/src/main.ts'); process.kill(process.pid, 'SIGKILL');`,
  );
  const ran = await runNode([program], { env: environment() });
  expect(ran).toMatchObject({ signal: 'SIGKILL' });
  expect(notRun()).toEqual(NOT_RUN);
});

test('counts nothing as covered without records, and skips truncated records', () => {
  writeFileSync(join(foldersOf(folder).node, 'coverage-1.json'), '{"result":[{"url":');
  const { covered, broken } = readExecutions(root, folder, universe);
  expect(broken).toBe(1);
  expect(covered.includes(1)).toBe(false);
});

test('reads the statements of component scripts at their lines', () => {
  const component = `<!-- <script>const no = 1;</script> -->
<script module lang="ts">
  export const shared = 1;
</script>

<script lang="ts" generics="T extends Array<string>">
  let { items }: { items: T } = $props();
</script>

<p onclick={() => items.push('x')}>{shared}</p>
`;
  const { statements } = universeOf(new Map([['packages/web/src/a.svelte', component]]));
  expect(statements.map(({ line, start, end }) => `${String(line)}: ${component.slice(start, end)}`)).toEqual([
    '3: export const shared = 1;',
    '7: let { items }: { items: T } = $props();',
  ]);
});

test('prints tables of packages and differences in points', () => {
  const none = new Uint8Array(universe.statements.length);
  const before = summarize(universe, none);
  const now = summarize(
    universe,
    none.map((_, index) => (universe.statements[index]?.file.includes('/two/') ? 1 : 0)),
  );
  expect(
    tableOf(now)
      .split('\n')
      .map((line) => line.split(/ +/)),
  ).toEqual([
    ['package', 'statements', 'covered', 'percent'],
    ['packages/one', '9', '0', '0.00'],
    ['packages/two', '3', '3', '100.00'],
    ['total', '12', '3', '25.00'],
  ]);
  expect(
    comparisonOf(before, now)
      .split('\n')
      .map((line) => line.split(/ +/)),
  ).toEqual([
    ['package', 'before', 'now', 'points'],
    ['packages/one', '0.00', '0.00', '0.00'],
    ['packages/two', '0.00', '100.00', '+100.00'],
    ['total', '0.00', '25.00', '+25.00'],
  ]);
});
