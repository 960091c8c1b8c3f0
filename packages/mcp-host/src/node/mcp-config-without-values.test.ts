import type { JsonObject } from '@toolyard/protocol';
import { expect, test } from 'vitest';
import { mcpConfigWithoutValues } from './mcp-config-without-values.ts';

const SECRET = 'canary-of-a-key';
const OUT = '${env:LEFT_OUT_OF_BACKUP}';

const copyConfig = (entry: JsonObject, more: JsonObject = {}): JsonObject => {
  const copied = mcpConfigWithoutValues(JSON.stringify({ mcpServers: { 'my-token': entry }, ...more }));
  const { mcpServers } = JSON.parse(copied) as { mcpServers: Record<string, JsonObject> };
  return { ...mcpServers['my-token'], ...(more['inputs'] === undefined ? {} : { all: copied }) };
};

test.each<JsonObject>([
  { url: `https://me:${SECRET}@a.example/mcp` },
  { url: `https://a.example/mcp?x=${SECRET}` },
  { url: `https://a.example/mcp#${SECRET}` },
  { url: `https://a.example/s/${SECRET.replaceAll('-', '1')}abcdefgh/mcp` },
  { command: `npx -y x --token ${SECRET}` },
  { command: 'x', args: ['--token', SECRET] },
  { command: 'x', args: ['--token', SECRET, 5] },
  { command: 'x', args: [`--token=${SECRET}`] },
  { command: 'x', args: ['-e', `DB=${SECRET}`] },
  { command: 'x', args: ['-H', `X-Any: ${SECRET}`] },
  { command: 'x', args: [`postgres://u:${SECRET}@db/x`] },
  { command: 'sh', args: ['-c', `API_KEY=${SECRET} x`] },
  { command: 'x', args: [`{"password":"${SECRET}"}`] },
  { command: 'x', env: { ANY: SECRET } },
  { command: 'x', environment: { ANY: SECRET } },
  { command: 'x', env: { LIST: [SECRET, { in: SECRET }] } },
  { url: 'https://a.example', headers: { any: SECRET } },
  { url: 'https://a.example', requestInit: { headers: { any: SECRET } } },
  { url: 'https://a.example', http_headers: { any: SECRET } },
  { url: 'https://a.example', bearerToken: SECRET },
  { url: 'https://a.example', oauth: { grant: { type: 'jwt', any: SECRET } } },
  { type: 'plugin', url: 'https://a.example', settings: { any: SECRET } },
  { hosted: { service: 'klavis', server: 'x', apiKey: SECRET } },
  { command: 'x', unknown: { deep: [{ clientSecret: SECRET }] } },
])('a copy without keys has none of %j', (entry) => {
  const copied = JSON.stringify(copyConfig(entry));
  expect(copied).not.toContain(SECRET);
  expect(copied).not.toContain(SECRET.replaceAll('-', '1'));
  expect(copied).toContain(OUT);
});

test('a copy without keys has no number that is one, and no default of an input', () => {
  expect(copyConfig({ command: 'x', env: { PIN: 12345 }, args: ['--token', 12345] })).toEqual({
    command: 'x',
    env: { PIN: OUT },
    args: ['--token', OUT],
  });
  const inputs = [{ id: 'k', type: 'promptString', password: true, default: SECRET }];
  expect(JSON.stringify(copyConfig({ command: 'x' }, { inputs }))).not.toContain(SECRET);
});

test('a copy without keys has all else as it was', () => {
  const entry = {
    command: 'npx',
    args: ['-y', '@scope/server-keys@1.2.3', '/home/me/notes', '--port', 8080, '--token', '${env:TOKEN}'],
    env: { TOKEN: '${input:token}' },
    envFile: '.env',
    cwd: '/srv',
    sandbox: { read: ['/srv'], network: ['api.example.com'], limits: { memoryMb: 512 } },
    disabled: true,
    url: 'https://a.example/mcp?key=${env:KEY}',
    headers: { Authorization: 'Bearer ${env:KEY}' },
  };
  expect(copyConfig(entry)).toEqual(entry);
});
