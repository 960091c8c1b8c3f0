import type { McpTransport } from '@toolyard/protocol';
import { expect, test } from 'vitest';
import { readSnippet } from './read-snippet.ts';
import { EMPTY, toFields, findProblems, toDraft } from './server-form.ts';

const plugin: McpTransport = {
  type: 'plugin',
  url: 'https://example.com/manifest.json',
  gateway: 'https://gateway.example/',
  settings: { key: { secret: true }, limit: '5' },
};
const problems = (manifest: string, gateway = '') =>
  findProblems({ ...EMPTY, id: 'shop', kind: 'plugin', manifest, gateway }, { taken: new Set(), saved: null });

test('a legacy plugin stays the same through the form, with its settings', () => {
  expect(toDraft(toFields({ id: 'shop', transport: plugin }))).toEqual({ id: 'shop', transport: plugin });
});

test('its URLs must be web URLs, or begin with a variable', () => {
  expect(problems('')).toMatchObject({ manifest: 'missing' });
  expect(problems('manifest.json', 'ftp://x')).toMatchObject({ manifest: 'invalid', gateway: 'invalid' });
  for (const url of ['https://example.com/x', '${env:HOST}/x']) expect(problems(url, url)).toEqual({ rows: new Map() });
});

test('it is read from a pasted configuration', () => {
  const entry = { type: 'plugin', url: 'https://example.com/m.json', settings: { limit: 5 } };
  expect(readSnippet(JSON.stringify({ mcpServers: { shop: entry } }))).toMatchObject({
    entries: [{ id: 'shop', draft: { transport: { ...entry, settings: { limit: '5' } } } }],
  });
  expect(readSnippet('{"mcpServers":{"shop":{"type":"plugin","url":"https://x.example","gateway":7}}}')).toMatchObject({
    entries: [{ problem: { kind: 'part', part: 'gateway' } }],
  });
});
