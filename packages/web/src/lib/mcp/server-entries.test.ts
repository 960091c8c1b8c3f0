import { describe, expect, it } from 'vitest';
import { storedServerDraft, storeServerDraft } from './server-drafts.ts';
import {
  missingHeaders,
  newServerId,
  parseServerSettings,
  serverSettingsToKeep,
  toServerConfig,
} from './server-entries.ts';
import type { BrowserServerDraft } from './types.ts';

const good = {
  id: 'browser-docs',
  name: 'Docs',
  transport: 'http' as const,
  url: 'https://mcp.example.com/mcp',
  headers: { Authorization: 'Bearer x', 'X-Later': null },
  enabled: false,
  useProxy: true,
};

describe('stored servers', () => {
  it('are read with all their fields', () => {
    expect(parseServerSettings([good])).toEqual({ entries: [good], invalidEntries: [] });
  });

  it('are enabled, direct and without headers by default', () => {
    const { id, name, transport, url } = good;
    expect(parseServerSettings([{ id, name, transport, url }]).entries).toEqual([
      { id, name, transport, url, headers: {}, enabled: true, useProxy: false },
    ]);
  });

  it.each([
    [null, /JSON object/],
    [{ ...good, id: 'docs' }, /id/],
    [{ ...good, id: 'browser-a/b' }, /id/],
    [{ ...good, name: ' ' }, /`name` is missing/],
    [{ ...good, transport: 'stdio' }, /transport/],
    [{ ...good, url: 'mcp.example.com' }, /incomplete/],
    [{ ...good, url: 'ws://mcp.example.com' }, /begin with http:\/\/ or https:\/\//],
    [{ ...good, transport: 'websocket' }, /begin with ws:\/\/ or wss:\/\//],
    [{ ...good, url: 'javascript:alert(1)' }, /begin with/],
    [{ ...good, url: 'https://ann:word@mcp.example.com/' }, /header/],
    [{ ...good, headers: [] }, /`headers` must be/],
    [{ ...good, headers: { 'a b': 'c' } }, /not a valid header name/],
    [{ ...good, headers: { a: 'line\nbreak' } }, /header a has characters/],
    [{ ...good, headers: { a: 7 } }, /header a/],
    [{ ...good, enabled: 1 }, /enabled/],
  ])('are set aside with a reason if invalid, without affecting others: %j', (bad, reason) => {
    const other = { ...good, id: 'browser-other' };
    const { entries, invalidEntries } = parseServerSettings([bad, other]);
    expect(entries).toEqual([other]);
    expect(invalidEntries).toEqual([
      { name: expect.any(String) as string, reason: expect.stringMatching(reason) as string, raw: bad },
    ]);
  });

  it('are deduplicated by id', () => {
    const { entries, invalidEntries } = parseServerSettings([good, { ...good, name: 'Again' }]);
    expect(entries).toEqual([good]);
    expect(invalidEntries).toMatchObject([{ name: 'Again', reason: 'The id "browser-docs" is used twice.' }]);
  });

  it('are written back with the invalid entries', () => {
    expect(serverSettingsToKeep(parseServerSettings([7, good]))).toEqual([good, 7]);
  });

  it('are empty if the value is not a list', () => {
    expect(parseServerSettings({ mcpServers: {} })).toEqual({ entries: [], invalidEntries: [] });
  });
});

it('creates unique ids from names in any script', () => {
  expect(newServerId('My Docs!', [])).toBe('browser-my-docs');
  expect(newServerId('My docs', ['browser-my-docs'])).toBe('browser-my-docs-2');
  expect(newServerId('文件 /伺服器', [])).toBe('browser-文件-伺服器');
  expect(newServerId('///', [])).toBe('browser-server');
});

describe('header secrets', () => {
  const draft: BrowserServerDraft = {
    name: ' Docs ',
    transport: 'http',
    url: ' https://mcp.example.com/mcp ',
    headers: { Authorization: 'Bearer x' },
    enabled: true,
    useProxy: false,
    keepSecrets: false,
  };

  it('are not written to localStorage unless the user chose so', () => {
    const { entry, secrets } = storeServerDraft('browser-docs', draft);
    expect(JSON.stringify(entry)).not.toContain('Bearer x');
    expect(secrets).toEqual({ Authorization: 'Bearer x' });
    const kept = storeServerDraft('browser-docs', { ...draft, keepSecrets: true });
    expect([kept.entry.headers, kept.secrets]).toEqual([{ Authorization: 'Bearer x' }, {}]);
  });

  it('are shown in the editor, with where they are stored', () => {
    const { entry, secrets } = storeServerDraft('browser-docs', draft);
    expect(storedServerDraft(entry, secrets)).toEqual({ ...draft, name: 'Docs', url: 'https://mcp.example.com/mcp' });
    expect(storedServerDraft(entry, {})).toMatchObject({ headers: { Authorization: '' } });
    expect(storedServerDraft(storeServerDraft('x', { ...draft, keepSecrets: true }).entry, {})).toMatchObject({
      keepSecrets: true,
    });
  });

  it('are listed if unknown, and only known ones are sent', () => {
    expect(missingHeaders(good, {})).toEqual(['X-Later']);
    expect(missingHeaders(good, { 'X-Later': 'now' })).toEqual([]);
    expect(toServerConfig(good, { 'X-Later': 'now' })).toEqual({
      id: 'browser-docs',
      transport: { type: 'http', url: good.url, headers: { Authorization: 'Bearer x', 'X-Later': 'now' } },
      disabled: true,
    });
  });
});
