import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Draft, JsonObject, JsonValue, SaveDraft } from '@toolyard/protocol';
import type { BrowserValueFamily } from '../browser-storage.ts';
import { DraftSync } from './draft-sync.ts';
import { ComposerDraft, type DraftDeps } from './draft.svelte.ts';

function family<T>(fallback: T): BrowserValueFamily<T> {
  const values = new Map<string, T>();
  return { get: (id) => values.get(id) ?? fallback, set: (id, value) => void values.set(id, value) };
}

/** A server that keeps drafts and announces changes to all tabs. */
class FakeServer {
  readonly drafts = new Map<string, Draft>();
  readonly listeners = new Set<(change: { what: 'drafts'; id: string }) => void>();
  puts = 0;
  #at = 0;

  readonly api = {
    get: async (_path: string, { params: { id } }: { params: { id: string } }) =>
      this.drafts.get(id) ?? { text: '', attachments: [], updatedAt: 0 },
    put: async (_path: string, { params: { id }, body }: { params: { id: string }; body: SaveDraft }) => {
      this.puts += 1;
      const isEmpty = JSON.stringify(body) === '{"text":"","attachments":[]}';
      const draft = { ...body, updatedAt: isEmpty ? 0 : ++this.#at };
      if (isEmpty) this.drafts.delete(id);
      else this.drafts.set(id, draft);
      for (const listener of this.listeners) listener({ what: 'drafts', id });
      return draft;
    },
  };

  /** The response to the next request for a draft arrives when this is called. */
  delayGet(): () => void {
    const { get } = this.api;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.api.get = async (...args) => {
      this.api.get = get;
      const draft = await get(...args);
      await promise;
      return draft;
    };
    return resolve;
  }

  /** A tab of another browser with this conversation. */
  open(key = 'c1', storage: Partial<DraftDeps> = {}) {
    const draft = new ComposerDraft(key, {
      storage: { text: family(''), files: family<JsonValue[]>([]), choices: family<JsonObject>({}) },
      prepare: () => Promise.reject(new Error('no file')),
      ...storage,
    });
    const live = { onChanged: (listener: never) => this.listeners.add(listener), onHello: () => () => true };
    const sync = new DraftSync(draft, { api: this.api as never, live: live as never, synced: family(0) });
    return { draft, sync };
  }
}

const resource = {
  name: 'Notes',
  origin: { place: 'server' as const, serverId: 's', uri: 'a:b' },
  state: 'ready' as const,
  kind: 'resource' as const,
  parts: [{ type: 'resource' as const, uri: 'a:b', serverId: 's', text: 'Rain.' }],
};

let server: FakeServer;
beforeEach(() => {
  vi.useFakeTimers();
  server = new FakeServer();
});
afterEach(() => {
  vi.useRealTimers();
});

const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(5_000);

it('shows text and attachments in another tab, and removes them there once they are sent', async () => {
  const [one, two] = [server.open(), server.open()];
  await Promise.all([one.sync.load(), two.sync.load()]);
  one.draft.write('hello');
  one.draft.attach(resource);
  await settle();
  expect(two.draft).toMatchObject({
    text: 'hello',
    attachments: [{ name: 'Notes', state: 'ready', kind: 'resource' }],
  });
  await one.draft.send(async () => undefined);
  await settle();
  expect(two.draft.empty).toBe(true);
  expect(server.drafts.size).toBe(0);
});

it('keeps what is typed before the draft of another device has arrived', async () => {
  await server.api.put('', { params: { id: 'c1' }, body: { text: 'from the phone', attachments: [] } });
  const { draft, sync } = server.open();
  const loading = sync.load();
  draft.write('typed here');
  await loading;
  await settle();
  expect(draft.text).toBe('from the phone\n\ntyped here');
  expect(server.drafts.get('c1')?.text).toBe('from the phone\n\ntyped here');
});

it('stores nothing before the draft of another device has arrived, however long that takes', async () => {
  await server.api.put('', { params: { id: 'c1' }, body: { text: 'from the phone', attachments: [] } });
  const { draft, sync } = server.open();
  const arrive = server.delayGet();
  const loading = sync.load();
  draft.write('typed here');
  await settle();
  expect(server.drafts.get('c1')?.text).toBe('from the phone');
  arrive();
  await loading;
  await settle();
  expect(draft.text).toBe('from the phone\n\ntyped here');
  expect(server.drafts.get('c1')?.text).toBe('from the phone\n\ntyped here');
});

it('asks again for the draft of another device if the first request failed', async () => {
  await server.api.put('', { params: { id: 'c1' }, body: { text: 'from the phone', attachments: [] } });
  const { draft, sync } = server.open();
  const { get } = server.api;
  server.api.get = () => Promise.reject(new Error('500'));
  await sync.load();
  server.api.get = get;
  draft.write('typed here');
  await settle();
  expect(draft.text).toBe('from the phone\n\ntyped here');
  expect(server.drafts.get('c1')?.text).toBe('from the phone\n\ntyped here');
});

it('keeps what it has stored when the response to an earlier request arrives late', async () => {
  const { draft, sync } = server.open();
  await sync.load();
  const arrive = server.delayGet();
  const loading = sync.load();
  draft.write('typed here');
  await settle();
  expect(server.drafts.get('c1')?.text).toBe('typed here');
  arrive();
  await loading;
  expect(draft.text).toBe('typed here');
  await settle();
  expect(server.drafts.get('c1')?.text).toBe('typed here');
});

it('stores many keystrokes with few requests, and nothing while a message is sent', async () => {
  const { draft, sync } = server.open();
  await sync.load();
  for (const letter of 'abcdefgh') draft.write(draft.text + letter);
  await settle();
  expect(server.puts).toBe(1);
  await draft.send(async () => {
    await settle();
    expect(server.drafts.get('c1')?.text).toBe('abcdefgh');
  });
  await settle();
  expect(server.drafts.has('c1')).toBe(false);
});

it('moves with a new chat that becomes a conversation', async () => {
  const { draft, sync } = server.open('new');
  await sync.load();
  draft.write('first');
  await settle();
  draft.rename('c9');
  await settle();
  expect([...server.drafts.keys()]).toEqual(['c9']);
});

it('stays in this browser while the server cannot be reached, and is stored later', async () => {
  const { draft, sync } = server.open();
  await sync.load();
  const { put } = server.api;
  const { ApiError } = await import('../api/error.ts');
  server.api.put = () => Promise.reject(new ApiError({ code: 'network', status: 0, detail: 'No.' }));
  draft.write('offline');
  await settle();
  server.api.put = put;
  await sync.load();
  expect(draft.text).toBe('offline');
  await settle();
  expect(server.drafts.get('c1')?.text).toBe('offline');
});

it('loads a resource again that another tab has attached but not loaded', async () => {
  const one = server.open();
  await one.sync.load();
  one.draft.attach({ name: 'Notes', origin: resource.origin, state: 'reading' });
  await settle();
  const load = vi.fn();
  const two = server.open('c1', { load });
  await two.sync.load();
  expect(two.draft.attachments).toMatchObject([{ state: 'reading', origin: resource.origin }]);
  expect(load).toHaveBeenCalledTimes(1);
});

it('shows the mentioned agent and what was removed in another tab, until the message is sent', async () => {
  const [one, two] = [server.open(), server.open()];
  await Promise.all([one.sync.load(), two.sync.load()]);
  const agent = { id: 'a1', title: 'Translator' };
  const context = { type: 'resource' as const, uri: 'ui://clock', serverId: 's', text: '12:00' };
  one.draft.mentionAgent(agent);
  one.draft.remove(one.draft.attach({ name: 'Clock', state: 'ready', kind: 'resource', parts: [context] }));
  await settle();
  expect(two.draft).toMatchObject({ mention: agent, text: '', attachments: [] });
  expect(two.draft.hasRemoved(context)).toBe(true);
  one.draft.write('hello');
  const mentioned: unknown[] = [];
  await one.draft.send(async (_, mention) => void mentioned.push(mention));
  await settle();
  expect(mentioned).toEqual([agent]);
  expect(two.draft.mention).toBeNull();
  expect(two.draft.hasRemoved(context)).toBe(false);
  expect(server.drafts.size).toBe(0);
});
