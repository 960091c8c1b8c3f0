import type { AddMcpServer } from '@toolyard/protocol';
import { expect, it } from 'vitest';
import {
  EMPTY,
  argumentRow,
  toFields,
  formRow,
  hasOnlyGaps,
  hasProblems,
  toNewFields,
  findProblems,
  readCount,
  readSeconds,
  toDraft,
  toTest,
} from './server-form.ts';
import type { ServerFields } from './server-form.ts';

const program: AddMcpServer = {
  id: 'files',
  transport: {
    type: 'stdio',
    command: 'npx',
    args: ['-y', 'x'],
    env: { TOKEN: { secret: true }, A: '1' },
    cwd: '/tmp',
    sandbox: { network: 'off' },
  },
};
const address: AddMcpServer = {
  id: 'web',
  transport: { type: 'sse', url: 'https://a.example/sse', headers: { Authorization: { secret: true } } },
};
const hosted: AddMcpServer = {
  id: 'mail',
  transport: {
    type: 'hosted',
    service: 'klavis',
    server: 'Gmail',
    apiKey: { secret: true },
    user: 'ann',
    url: 'http://x',
  },
};
const problems = (changes: Partial<ServerFields>, saved: AddMcpServer | null = null) =>
  findProblems({ ...EMPTY, id: 'x', command: 'x', ...changes }, { taken: new Set(['files']), saved });

it.each([[program], [address], [hosted]])('returns what it was filled with, without showing secrets', (draft) => {
  expect(toDraft(toFields(draft))).toEqual(draft);
});

it('sandboxes a new command, and not one that is stored without a sandbox', () => {
  const draft: AddMcpServer = { id: 'x', transport: { type: 'stdio', command: 'x' } };
  expect(toDraft(toNewFields(draft)).transport).toMatchObject({ sandbox: true });
  expect(toDraft({ ...EMPTY, id: 'x', command: 'x' }).transport).toMatchObject({ sandbox: true });
  expect(toDraft(toFields(draft)).transport).toMatchObject({ sandbox: false });
});

it('replaces a stored value by a typed one, and keeps the stored one if the text is deleted', () => {
  const fields = toFields(address);
  const [row] = fields.headers;
  const sent = (value: string) =>
    toDraft({ ...fields, headers: row === undefined ? [] : [{ ...row, value }] }).transport;
  expect(sent('Bearer new')).toMatchObject({ headers: { Authorization: 'Bearer new' } });
  expect(sent('')).toMatchObject({ headers: { Authorization: { secret: true } } });
});

it('omits empty fields and derives the transport from the URL', () => {
  const fields = { ...EMPTY, id: ' x ', kind: 'remote' as const, url: ' wss://a.example ', headers: [formRow()] };
  expect(toDraft(fields)).toEqual({ id: 'x', transport: { type: 'websocket', url: 'wss://a.example' } });
  expect(hasProblems(problems(fields))).toBe(false);
});

it('reports errors by field', () => {
  expect(problems({ id: '' })).toMatchObject({ id: 'missing' });
  expect(problems({ id: 'a/b' })).toMatchObject({ id: 'invalidCharacters' });
  expect(problems({ id: 'files' })).toMatchObject({ id: 'taken' });
  expect(problems({ command: ' ' })).toMatchObject({ command: 'missing' });
  expect(problems({ kind: 'remote' })).toMatchObject({ url: 'missing' });
  expect(problems({ kind: 'hosted' })).toMatchObject({ hosted: 'missing' });
  expect(problems({ kind: 'hosted', hosted: 'Gmail', apiKey: formRow() })).toMatchObject({ apiKey: 'missing' });
  expect(problems(toFields(hosted))).toMatchObject({ apiKey: 'reenter' });
  expect(problems(toFields(hosted), hosted)).toEqual({ rows: new Map() });
  expect(problems({ kind: 'remote', url: 'ftp://x' })).toMatchObject({ url: 'invalid' });
  expect(problems({ kind: 'remote', url: '${env:HOST}/mcp' })).toEqual({ rows: new Map() });
});

it.each([
  ['', null],
  ['90', 90_000],
  ['1.5', 1_500],
  ['0', undefined],
  ['soon', undefined],
  ['1e9', undefined],
])('parses %j as a duration', (text, ms) => {
  expect(readSeconds(text)).toBe(ms);
  expect(problems({ callTimeout: text }).callTimeout).toBe(ms === undefined ? 'seconds' : undefined);
});

it.each([
  ['', null],
  ['1', 1],
  ['1000', 1000],
  ['0', undefined],
  ['1.5', undefined],
  ['1001', undefined],
  ['many', undefined],
])('parses %j as a number of calls', (text, count) => {
  expect(readCount(text)).toBe(count);
  expect(problems({ maxCalls: text }).maxCalls).toBe(count === undefined ? 'count' : undefined);
});

it('reports errors by row', () => {
  const rows = [formRow('', 'x'), formRow('a b', 'x'), formRow('A', '1'), formRow('a', '2'), formRow()];
  const of = (kind: ServerFields['kind'], name: 'env' | 'headers') => [
    ...problems({ kind, url: 'https://x', [name]: rows }).rows.values(),
  ];
  expect(of('remote', 'headers')).toEqual(['name', 'invalidCharacters', 'duplicate']);
  // Names of variables are case-sensitive.
  expect(of('local', 'env')).toEqual(['name']);
});

it('requires stored values again for another host or another name', () => {
  const moved = (url: string) => [...problems({ ...toFields(address), url }, address).rows.values()];
  expect(moved('https://a.example/other')).toEqual([]);
  expect(moved('https://b.example/sse')).toEqual(['reenter']);
  expect(moved('http://a.example/sse')).toEqual(['reenter']);
  const headers = toFields(address).headers.map((row) => ({ ...row, name: 'X-Key' }));
  expect([...problems({ ...toFields(address), headers }, address).rows.values()]).toEqual(['reenter']);
});

it('is tested under the name in the form, or else the stored one', () => {
  const fields = { ...EMPTY, id: ' mine ', command: 'npx' };
  expect(toTest(fields, null)).toEqual({ id: 'mine', transport: { type: 'stdio', command: 'npx', sandbox: true } });
  expect(toTest(fields, 'stored').id).toBe('stored');
});

it('completes an address without a scheme in every field for one', () => {
  const typed = '127.0.0.1:4838/x';
  const complete = `http://${typed}`;
  expect(toDraft({ ...EMPTY, id: 'a', kind: 'remote', url: typed }).transport).toMatchObject({
    type: 'http',
    url: complete,
  });
  const plugin = { ...EMPTY, id: 'a', kind: 'plugin' as const, manifest: typed, gateway: typed };
  expect(toDraft(plugin).transport).toMatchObject({ url: complete, gateway: complete });
  expect(hasProblems(problems({ kind: 'remote', url: typed }))).toBe(false);
  expect(hasProblems(problems(plugin))).toBe(false);
});

it('a placeholder in any value stops saving until it is replaced, or the user wants to keep it', () => {
  const row = formRow('API_KEY', '<YOUR_KEY>');
  const argument = argumentRow('/path/to/your/folder');
  const changes: Partial<ServerFields> = { env: [row], args: [argument], cwd: '/path/to/x' };
  const found = problems(changes);
  expect(found).toMatchObject({ cwd: 'gap' });
  expect([...found.rows]).toEqual([
    [row.key, 'gap'],
    [argument.key, 'gap'],
  ]);
  expect(hasOnlyGaps(found)).toBe(true);
  expect(hasOnlyGaps(problems({ ...changes, id: '' }))).toBe(false);
  expect(problems({ kind: 'remote', url: 'https://your-domain.example/mcp' })).toMatchObject({ url: 'gap' });
  const hosted = { kind: 'hosted', hosted: 'Gmail' } as const;
  expect(problems({ ...hosted, apiKey: formRow('apiKey', '<YOUR_KEY>') })).toMatchObject({ apiKey: 'gap' });
  expect(hasProblems(problems({ ...hosted, apiKey: formRow('apiKey', '${env:KLAVIS_API_KEY}') }))).toBe(false);
  const address = 'https://your-domain.example/x.json';
  const plugin = problems({ kind: 'plugin', manifest: address, gateway: address });
  expect(plugin).toMatchObject({ manifest: 'gap', gateway: 'gap' });
  expect(hasOnlyGaps(plugin)).toBe(true);
  const kept = findProblems(
    { ...EMPTY, id: 'x', command: 'x', ...changes },
    { taken: new Set(), saved: null, keepsGaps: true },
  );
  expect(hasProblems(kept)).toBe(false);
});
