import { expect, it } from 'vitest';
import { fillGaps } from './gaps.ts';
import { readSnippet } from './read-snippet.ts';

function entryOf(server: object) {
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
  expect(entryOf(server).gaps).toEqual(gaps);
});

it('fills in the entered values and changes nothing else', () => {
  const { draft } = entryOf({ command: 'a', args: ['<DIR>'], env: { KEY: 'Bearer <KEY>', LEFT: '<LEFT>' } });
  expect(fillGaps(draft, { '<DIR>': '/tmp', '<KEY>': ' $&1 ', '<LEFT>': ' ' }).transport).toEqual({
    type: 'stdio',
    command: 'a',
    args: ['/tmp'],
    env: { KEY: 'Bearer $&1', LEFT: '<LEFT>' },
  });
});
