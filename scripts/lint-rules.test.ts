import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lint } from './lint.ts';
import { ROOT } from './run.ts';

type Broken = readonly [rule: string, file: string, text: string];

const HOOK = 'declare const beforeEach: (f: () => void) => void;\nbeforeEach(() => undefined);\nexport {};\n';
const LISTENER = 'declare const getRequestListener: (a: number) => number;\nexport const a = getRequestListener(1);\n';
const MISUSED = "export const f = async (): Promise<void> => {};\nif (f()) throw new Error('a');\n";
const FLOATING = 'export const f = (p: () => Promise<void>): void => {\n  p();\n};\n';
const SWITCH = "export const f = (a: 'x' | 'y'): void => {\n  switch (a) {\n    case 'x':\n  }\n};\n";

const ASSIGNED = "export const bad = () => Object.assign(new Error('a'), { code: 1 });\n";

/** For each rule, a file that breaks it. */
const BROKEN: readonly Broken[] = [
  ['no-floating-promises', 'e2e/floating.test.ts', FLOATING],
  ['no-floating-promises', 'vite.config.ts', FLOATING],
  ['no-floating-promises', 'packages/web/src/floating.svelte.ts', FLOATING],
  ['no-misused-promises', 'testing/src/misused.ts', MISUSED],
  ['switch-exhaustiveness-check', 'scripts/switch.ts', SWITCH],
  ['no-explicit-any', 'packages/web/src/any.svelte.ts', 'export const a: any = 1;\n'],
  ['no-non-null-assertion', 'servers/date/src/a.ts', 'export const f = (a: string | null): string => a!;\n'],
  ['consistent-type-imports', 'packages/cli/src/type.ts', "import { Stats } from 'node:fs';\nexport type A = Stats;\n"],
  ['no-unused-vars', 'packages/cli/src/unused.ts', 'export const f = (a: number): number => 1;\n'],
  ['no-console', 'packages/server/src/console.ts', "console.log('a');\n"],
  ['eqeqeq', 'packages/cli/src/equal.ts', 'export const f = (a: number, b: number): boolean => a == b;\n'],
  ['max-lines', 'packages/cli/src/long.ts', 'export {};\n'.repeat(501)],
  ['no-restricted-imports', 'e2e/fuzz.test.ts', "import fc from 'fast-check';\nexport const a = fc;\n"],
  ['no-restricted-globals', 'packages/protocol/src/global.ts', 'export const a = process.pid;\n'],
  ['no-restricted-globals', 'packages/mcp-host/src/global.ts', "export const a = Buffer.from('a');\n"],
  ['no-restricted-globals', 'packages/agent-host/src/global.ts', "export const a = fetch('http://a');\n"],
  ['no-restricted-syntax', 'packages/model-runtime/src/parse.ts', "export const a = JSON.parse('1') as number;\n"],
  ['no-restricted-syntax', 'packages/agent-runtime/src/hook.ts', HOOK],
  ['function-names', 'packages/cli/src/error.ts', "export const bad = (): Error => new Error('a');\n"],
  ['function-names', 'packages/cli/src/inferred.ts', "export function bad() {\n  return new TypeError('a');\n}\n"],
  ['function-names', 'packages/cli/src/assigned.ts', ASSIGNED],
  ['function-names', 'packages/cli/src/method.ts', "export class A {\n  #bad = (): Error => new Error('a');\n}\n"],
  ['function-names', 'packages/cli/src/thrower.ts', "export function bad(): never {\n  throw new Error('a');\n}\n"],
  ['function-names', 'packages/cli/src/getter.ts', 'export const sizeOf = (a: string): number => a.length + 1;\n'],
  [
    'function-names',
    'packages/cli/src/two.test.ts',
    'export const f = { sizeOf: (a: string, b: string) => a ?? b };\n',
  ],
  ['function-names', 'packages/web/src/Getter.svelte', component('export const sizeOf = (a: string) => a.trim();')],
  ['no-restricted-syntax', 'testing/src/hook.ts', HOOK],
  ['no-restricted-syntax', 'packages/server/src/listener.test.ts', LISTENER],
  [
    'no-restricted-syntax',
    'packages/server/src/skipped.test.ts',
    'declare const it: { skip: () => void };\nit.skip();\n',
  ],
  ['no-restricted-globals', 'packages/web/src/lib/fetch.ts', "export const a = fetch('/api/a');\n"],
  ['no-restricted-globals', 'packages/web/src/routes/+page.ts', "export const a = fetch('/api/a');\n"],
  ['no-restricted-globals', 'packages/web/src/fetch.svelte.ts', 'export const a = { send: fetch };\n'],
  ['no-restricted-globals', 'packages/web/src/default.ts', 'export const f = (send = fetch) => send;\n'],
  ['no-restricted-globals', 'packages/web/src/events.ts', "export const a = new EventSource('/api/events');\n"],
  ['no-restricted-globals', 'packages/web/src/request.ts', 'export const a = new XMLHttpRequest();\n'],
  ['no-restricted-globals', 'packages/web/src/socket.ts', "export const a = new WebSocket('ws://a');\n"],
  ['no-restricted-syntax', 'packages/web/src/window.ts', "export const a = window.fetch('/api/a');\n"],
  ['no-restricted-syntax', 'packages/web/src/beacon.ts', "navigator.sendBeacon('/api/a');\nexport {};\n"],
  ['no-restricted-globals', 'packages/web/src/Fetch.svelte', component("void fetch('/api/a');")],
  ['no-restricted-syntax', 'packages/web/src/Beacon.svelte', component("navigator.sendBeacon('/api/a');")],
  [
    'no-restricted-globals',
    'packages/web/src/Inline.svelte',
    '<button onclick={() => void fetch("/api/a")}>a</button>\n',
  ],
  ['no-restricted-syntax', 'packages/web/src/Image.svelte', '<img src="/api/files/a" alt="" />\n'],
  ['no-restricted-syntax', 'packages/web/src/Link.svelte', '<a href={`/api/files/${1}`}>a</a>\n'],
  ['no-restricted-syntax', 'packages/web/src/Text.svelte', "<a href={'/api/openapi.json'}>a</a>\n"],
  ['Unused', 'packages/cli/src/directive.ts', '// eslint-disable-next-line no-console\nexport const a = 1;\n'],
  ['no-explicit-any', 'packages/web/src/Any.svelte', component('export const a: any = 1;')],
  ['no-non-null-assertion', 'packages/web/src/NonNull.svelte', component('export const f = (a?: string) => a!;')],
  ['no-console', 'packages/web/src/Console.svelte', component("console.log('a');")],
  ['eqeqeq', 'packages/web/src/Equal.svelte', component('export const f = (a: number) => a == 1;')],
  ['no-unused-vars', 'packages/web/src/Unused.svelte', component('const a = 1;')],
  ['consistent-type-imports', 'packages/web/src/Type.svelte', component("import { A } from './a.ts';\nlet a: A;\na;")],
  ['max-lines', 'packages/web/src/Long.svelte', component('\n'.repeat(501))],
  ['svelte/no-at-html-tags', 'packages/web/src/Html.svelte', "{@html 'a'}\n"],
  ['svelte/require-each-key', 'packages/web/src/Each.svelte', '{#each [1] as a}{a}{/each}\n'],
  ['no-floating-promises', 'packages/web/src/Floating.svelte', component('const f = async () => {};\nf();')],
  ['no-misused-promises', 'packages/web/src/Misused.svelte', component('const f = async () => {};\nif (f()) f.name;')],
  ['await-thenable', 'packages/web/src/Await.svelte', component('export const f = async () => await 1;')],
  ['Unused', 'packages/web/src/Directive.svelte', component('// eslint-disable-next-line no-console\nexport {};')],
];

/** Code that the rules allow, some of it only in this location. */
const ALLOWED: Readonly<Record<string, string>> = {
  'scripts/prints.ts': "console.log('a');\n",
  'packages/cli/src/prints.ts': "console.log('a');\n",
  'testing/src/property.ts': "import fc from 'fast-check';\nexport const a = fc;\n",
  'packages/server/src/parse.ts': "export const a = JSON.parse('1') as number;\n",
  'packages/protocol/src/parse.test.ts': "export const a = JSON.parse('1') as number;\n",
  'packages/mcp-host/src/node/process.ts': 'export const a = process.pid;\n',
  'packages/web/src/lib/api/session-fetch.ts': "export const a = fetch('/api/a');\n",
  'packages/web/src/local.ts': 'export const f = (fetch: () => void): void => fetch();\n',
  'packages/web/src/Settings.svelte': '<a href="/settings/api">a</a>\n',
  'packages/cli/src/hook.test.ts': HOOK,
  'packages/cli/src/long.test.ts': 'export const a = 1;\n'.replaceAll('a', 'b') + '//\n'.repeat(501),
  'packages/cli/src/names.ts': [
    'export const sizeOf = (a: { b?: string }): number | undefined => a.b?.length;',
    'export const idOf = ({ id }: { id: string }): string => id;',
    'export function textOf(a: string): string {\n  return a.trim();\n}',
    "export const createError = (): Error => new Error('a');",
    "export const toError = (a: unknown): Error => (a instanceof Error ? a : new Error('a'));",
    "export function throwError(): never {\n  throw new Error('a');\n}",
  ].join('\n'),
  'packages/cli/src/null.ts': 'export const f = (a: string | null | undefined): boolean => a == null;\n',
};

const folder = mkdtempSync(join(tmpdir(), 'toolyard-lint-'));
afterAll(() => rmSync(folder, { recursive: true }));

let reported: { file: string; line: string }[];
beforeAll(async () => {
  for (const name of [
    'oxlint.config.ts',
    'eslint.config.ts',
    'tsconfig.json',
    'package.json',
    'scripts/lint-plugin.ts',
    'scripts/lint-function-names.ts',
    'scripts/lint-page-requests.ts',
  ])
    cpSync(join(ROOT, name), join(folder, name));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
  const files = [...BROKEN.map(([, file, text]) => [file, text] as const), ...Object.entries(ALLOWED)];
  const page = '{ "extends": "../../tsconfig.json", "include": ["src"], "exclude": [] }';
  for (const [file, text] of [...files, ['packages/web/tsconfig.json', page] as const]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  reported = readFindings((await lint({ cwd: folder })) ?? '');
});

describe('each rule is enforced', () => {
  test.each(BROKEN)('%s in %s', (rule, file) => {
    const lines = reported.filter((finding) => finding.file === file).map(({ line }) => line);
    expect(lines.some((line) => line.includes(rule))).toBe(true);
  });
});

test('reports no allowed code', () => {
  const files = new Set(reported.map(({ file }) => file));
  expect(Object.keys(ALLOWED).filter((file) => files.has(file))).toEqual([]);
});

function component(script: string): string {
  return `<script lang="ts">\n${script}\n</script>\n`;
}

/** oxlint prints the file in each line, ESLint above its findings. */
function readFindings(output: string): { file: string; line: string }[] {
  const found: { file: string; line: string }[] = [];
  let above = '';
  for (const line of output.split('\n')) {
    const named = /^(.+?):\d+:\d+: /.exec(line)?.[1];
    if (named !== undefined) found.push({ file: named, line });
    else if (/^\S.*\.svelte/.test(line)) above = relative(folder, line.trim());
    else found.push({ file: above, line });
  }
  return found;
}
