import { fc } from '@toolyard/testing/property';
import { expect, it } from 'vitest';
import { fillGaps, listGaps, secretInputType } from './gaps.ts';
import { readSnippet } from './read-snippet.ts';

function readEntry(server: object) {
  const read = readSnippet(JSON.stringify({ mcpServers: { a: server } }));
  const [entry] = read.ok ? read.entries : [];
  if (entry === undefined || !('draft' in entry)) throw new Error('no server');
  return entry;
}

it.each([
  [{ url: 'https://a.example', headers: { Authorization: 'Bearer ${input:key}' } }, ['${input:key}']],
  [{ command: 'a', env: { KEY: '<YOUR_KEY>', OTHER: 'your-api-key-here' } }, ['<YOUR_KEY>', 'your-api-key-here']],
  [{ command: 'a', args: ['--token', 'YOUR_GITHUB_TOKEN', '--dir=/path/x'] }, ['YOUR_GITHUB_TOKEN']],
  [{ url: 'https://a.example/?key=REPLACE_ME' }, ['REPLACE_ME']],
  [{ command: 'a', env: { KEY: 'sk-xxxxxxxx', SAME: 'sk-xxxxxxxx' } }, ['xxxxxxxx']],
  [{ command: 'npx', args: ['-y', 'yourserver', '${HOME}/x', 'a<b'], env: { KEY: '${env:KEY}' } }, []],
])('finds the placeholders of %j', (server, gaps) => {
  expect(readEntry(server).gaps).toEqual(gaps);
});

it('fills in the entered values and changes nothing else', () => {
  const { draft } = readEntry({ command: 'a', args: ['<DIR>'], env: { KEY: 'Bearer <KEY>', LEFT: '<LEFT>' } });
  expect(fillGaps(draft, { '<DIR>': '/tmp', '<KEY>': ' $&1 ', '<LEFT>': ' ' }).transport).toEqual({
    type: 'stdio',
    command: 'a',
    args: ['/tmp'],
    env: { KEY: 'Bearer $&1', LEFT: '<LEFT>' },
  });
});

const noun = fc.constantFrom(
  'key',
  'api-key',
  'API_KEY',
  'token',
  'secret',
  'password',
  'folder',
  'directory',
  'username',
  'value',
);
const placeholder = fc.oneof(
  noun.map((word) => `your-${word}`),
  noun.map((word) => `YOUR_${word}`),
  noun.map((word) => `<your ${word}>`),
  noun.map((word) => `\u007b${word.replaceAll('-', '_')}\u007d`),
  noun.map((word) => `\u007b\u007b${word.replaceAll('-', '_')}\u007d\u007d`),
  noun.map((word) => `${word}-here`),
  noun.map((word) => `sk-${word.replace(/\W/g, '')}...`),
  fc.integer({ min: 3, max: 30 }).map((length) => 'x'.repeat(length)),
  fc.constantFrom(
    '/path/to/your/folder',
    '/absolute/path/to/file.json',
    'C:\\path\\to\\db',
    './path/to/x',
    '~/path/to',
  ),
  fc.constantFrom(
    '/Users/username/Desktop',
    '/home/you/files',
    'C:\\Users\\YourName\\x',
    'REPLACE_ME',
    'changeme',
    '***',
  ),
);
const around = fc.constantFrom(['', ''], ['Bearer ', ''], ['--dir=', ''], ['"', '"'], ['key: ', ' ']);

it('recognizes what manuals write instead of a value, whole, in any place of a text', () => {
  fc.assert(
    fc.property(placeholder, around, (text, [before = '', after = '']) => {
      expect(listGaps(before + text + after)).toEqual([text]);
    }),
  );
});

it.each([
  ['<YOUR_KEY>', 'text'],
  ['sk-xxxxxxxx', 'text'],
  ['${env:KEY}', 'text'],
  ['sk-proj-4fZ1x9Q2', 'password'],
  ['', 'password'],
])('of secrets only placeholders and variables are shown: %s', (value, type) => {
  expect(secretInputType(value)).toBe(type);
});

it.each([
  ['-y'],
  ['@modelcontextprotocol/server-filesystem'],
  ['/home/ann/projects'],
  ['/Users/ann/Documents/path'],
  ['./...'],
  ['https://mcp.example.com/sse?key=abc'],
  ['sk-proj-4fZ1x9Q2LxxW'],
  ['$HOME/x'],
  ['${HOME}/x'],
  ['${env:API_KEY}'],
  ['{"a": 1}'],
  ['{{.Names}}'],
  ['yourserver'],
  ['**/*.ts'],
  ['a && b'],
  ['token'],
  ['postgres://me:pw@db/x'],
])('a value is no placeholder: %s', (text) => {
  expect(listGaps(text)).toEqual([]);
});
