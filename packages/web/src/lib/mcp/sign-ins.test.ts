import { beforeEach, describe, expect, it, vi } from 'vitest';
import { guardSignIn } from './sign-in-guard.ts';
import { createBrowserSignInStore } from './sign-in-store.ts';
import { FakeStorage } from './test-fixtures/fake-storage.ts';

describe('stored sign-ins', () => {
  let local: FakeStorage;
  let session: FakeStorage;
  const persistent = new Set<string>();
  const store = createBrowserSignInStore((id) => persistent.has(id));
  beforeEach(() => {
    persistent.clear();
    vi.stubGlobal('localStorage', (local = new FakeStorage()));
    vi.stubGlobal('sessionStorage', (session = new FakeStorage()));
  });

  it('last for the session of the tab, or in this browser if the user chooses so', async () => {
    await store.put('tokens/browser-a', { accessToken: 'one' }, null);
    persistent.add('browser-b');
    await store.put('tokens/browser-b', { accessToken: 'two' }, null);
    expect([...local.items.values()].join()).toMatch(/^(?=.*two)(?!.*one)/);
    expect([...session.items.values()].join()).toMatch(/^(?=.*one)(?!.*two)/);
  });

  it('move between storages when the choice changes, and leave no copy', async () => {
    const version = await store.put('tokens/browser-a', { accessToken: 'one' }, null);
    persistent.add('browser-a');
    expect(await store.get('tokens/browser-a')).toEqual({ value: { accessToken: 'one' }, version });
    expect([local.items.size, session.items.size]).toEqual([1, 0]);
    persistent.clear();
    expect((await store.get('tokens/browser-a'))?.version).toBe(version);
    expect([local.items.size, session.items.size]).toEqual([0, 1]);
  });

  it('are changed only from their latest version', async () => {
    const first = await store.put('tokens/browser-a', { n: 1 }, null);
    expect(await store.put('tokens/browser-a', { n: 2 }, null)).toBeNull();
    const second = await store.put('tokens/browser-a', { n: 3 }, first);
    expect(await store.remove('tokens/browser-a', first ?? '')).toBe(false);
    expect(await store.remove('tokens/browser-a', second ?? '')).toBe(true);
    expect(await store.get('tokens/browser-a')).toBeUndefined();
  });
});

describe('attack 9: where a server of a browser says that one signs in', () => {
  const guarded = (from: string, to: string) => guardSignIn(from, async () => new Response())(to);

  it.each([
    'http://accounts.example.com/token',
    'https://localhost/token',
    'https://127.0.0.1/',
    'https://10.0.0.1/token',
    'https://[::1]/',
    'https://169.254.169.254/latest/meta-data/',
    'https://2130706433/',
    'https://router/',
    'https://printer.local/',
    'http://[::ffff:a9fe:a9fe]/',
  ])('blocks %s for a public server', async (address) => {
    await expect(guarded('https://mcp.example.com/mcp', address)).rejects.toMatchObject({ code: 'address_refused' });
  });

  it.each([
    ['https://mcp.example.com/mcp', 'https://accounts.example.com/token'],
    ['http://127.0.0.1:3000/mcp', 'http://localhost:9000/token'],
    ['http://192.168.1.5:3000/mcp', 'http://192.168.1.5:9000/token'],
  ])('lets %s use %s', async (from, to) => {
    expect((await guarded(from, to)).ok).toBe(true);
  });
});
