import { afterEach, expect, test, vi } from 'vitest';
import { AllowedHosts, HostGrants } from './allowed-hosts.svelte.ts';
import type { PreviewDocument } from './document.ts';

function createDocument(...keys: [string, ...string[]]): PreviewDocument {
  const [first, ...others] = keys.map((key) => ({ key, text: '', open: false }));
  if (first === undefined) throw new Error('a document has a version');
  return { id: first.key, kind: 'html', language: 'html', title: null, fileName: null, versions: [first, ...others] };
}

/** The page as it is loaded: what it remembers beside the storage of the browser is gone. */
function load() {
  const grants = new HostGrants();
  return (conversation: string | null, ...keys: [string, ...string[]]) =>
    new AllowedHosts(conversation, () => createDocument(...keys), grants);
}

afterEach(() => void vi.unstubAllGlobals());

function stubStorage(): Map<string, string> {
  const values = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  });
  return values;
}

const HOST = 'https://tiles.example';

test('hosts of a document are allowed after a reload, in its conversation and for all its versions', () => {
  const values = stubStorage();
  const before = load();
  before('c', 'm1:0:0', 'm2:0:0').allow(HOST);
  expect(before('c', 'm2:0:0', 'm3:0:0').sources).toEqual([HOST]);
  const after = load();
  // Only later messages are loaded, or another version was added.
  expect(after('c', 'm2:0:0').sources).toEqual([HOST]);
  expect(after('c', 'm1:0:0', 'm9:0:0').sources).toEqual([HOST]);
  expect(after('c', 'm7:0:0').sources).toEqual([]);
  expect(after('other', 'm1:0:0').sources).toEqual([]);
  // Revoked for what is not loaded as well.
  after('c', 'm2:0:0').revoke(HOST);
  expect(after('c', 'm1:0:0').sources).toEqual([]);
  expect(load()('c', 'm1:0:0').sources).toEqual([]);
  expect([...values]).toEqual([]);
});

test('are forgotten for blocks without a message: their keys mean other documents after a reload', () => {
  const values = stubStorage();
  const before = load();
  before('c', 'alone:1').allow(HOST);
  before(null, 'm1:0:0').allow(HOST);
  expect(before('c', 'alone:1').sources).toEqual([HOST]);
  expect([...values]).toEqual([]);
  expect(load()('c', 'alone:1').sources).toEqual([]);
});

test('ignores what other software stored', () => {
  const values = stubStorage();
  values.set('toolyard:preview-hosts:1', '{"c": [1, {"source": 2}, {"source": "https://a.example", "versions": [3]}]}');
  expect(load()('c', 'm1:0:0').sources).toEqual([]);
});
