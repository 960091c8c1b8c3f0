import { afterEach, describe, expect, it, vi } from 'vitest';
import type { JsonObject, JsonValue, UserPart } from '@toolyard/protocol';
import { ApiError } from '../api/error.ts';
import type { BrowserValueFamily } from '../browser-storage.ts';
import type { PreparedFile } from './attachments.ts';
import { ComposerDraft, type DraftDeps } from './draft.svelte.ts';

afterEach(() => {
  vi.useRealTimers();
});

function family<T>(fallback: T): BrowserValueFamily<T> {
  const values = new Map<string, T>();
  return { get: (id) => values.get(id) ?? fallback, set: (id, value) => void values.set(id, value) };
}

const picture: PreparedFile = {
  ok: true,
  kind: 'image',
  part: { type: 'image', mimeType: 'image/png', source: { blob: 'ab'.repeat(32) } },
};

function testDeps(prepare: (file: File) => Promise<PreparedFile> = async () => picture): DraftDeps {
  return { storage: { text: family(''), files: family<JsonValue[]>([]), choices: family<JsonObject>({}) }, prepare };
}

const file = (name = 'a.png') => new File(['x'], name);

it('survives a reload with its files', async () => {
  vi.useFakeTimers();
  const deps = testDeps();
  const draft = new ComposerDraft('c1', deps);
  draft.write('half a thought');
  vi.runAllTimers();
  await draft.add([file()]);
  const again = new ComposerDraft('c1', deps);
  expect(again.text).toBe('half a thought');
  expect(again.attachments).toMatchObject([{ name: 'a.png', state: 'ready', kind: 'image' }]);
  expect(new ComposerDraft('c2', deps).empty).toBe(true);
});

it('keeps the mentioned agent over a reload, and restores it if sending fails', async () => {
  const deps = testDeps();
  const draft = new ComposerDraft('c1', deps);
  const agent = { id: 'a1', title: 'Translator' };
  draft.mentionAgent(agent);
  draft.write('hello');
  const failure = new ApiError({ code: 'network', status: 0, detail: 'No.' });
  await draft.send(() => Promise.reject(failure));
  expect(draft.mention).toEqual(agent);
  expect(new ComposerDraft('c1', deps).mention).toEqual(agent);
  await draft.send(() => Promise.resolve());
  expect(new ComposerDraft('c1', deps).mention).toBeNull();
});

it('stays stored until the server has accepted it, though the input is empty at once', async () => {
  const deps = testDeps();
  const draft = new ComposerDraft('c1', deps);
  draft.write('hello');
  await draft.add([file()]);
  let arrived = (): void => undefined;
  const sent = draft.send(() => new Promise((resolve) => (arrived = resolve)));
  expect(draft.text).toBe('');
  expect(draft.sending).toBe(true);
  expect(new ComposerDraft('c1', deps)).toMatchObject({ text: 'hello', attachments: [{ state: 'ready' }] });
  arrived();
  await sent;
  expect(new ComposerDraft('c1', deps).empty).toBe(true);
});

it('is restored when the server rejects it, before text written meanwhile', async () => {
  const deps = testDeps();
  const draft = new ComposerDraft('c1', deps);
  draft.write('first');
  await draft.add([file()]);
  const sent = draft.send(async () => {
    draft.write('second');
    throw new ApiError({ code: 'storage_full', status: 507, detail: 'The disk is full.' });
  });
  await sent;
  expect(draft.error?.message).toBe('The disk is full.');
  expect(draft.text).toBe('first\n\nsecond');
  expect(draft.attachments).toHaveLength(1);
  expect(new ComposerDraft('c1', deps).text).toBe('first\n\nsecond');
});

describe('sent while the message before it is on its way', () => {
  /** Messages that the server accepts or rejects when the test says so. */
  function twoMessages() {
    const deps = testDeps();
    const draft = new ComposerDraft('c1', deps);
    const delivered: string[] = [];
    const first = Promise.withResolvers<void>();
    const sendText = (text: string, options: { until?: Promise<void>; isShown?: () => boolean } = {}) => {
      draft.write(text);
      const deliver = (parts: UserPart[]) => {
        delivered.push(parts.map((part) => (part.type === 'text' ? part.text : part.type)).join(', '));
        return options.until ?? Promise.resolve();
      };
      return draft.send(deliver, options.isShown);
    };
    return { draft, delivered, first, sendText, stored: () => new ComposerDraft('c1', deps).text };
  }

  it('is sent after it', async () => {
    const { draft, delivered, first, sendText, stored } = twoMessages();
    const sent = sendText('one', { until: first.promise });
    await sendText('two');
    await sendText('three');
    draft.write('four');
    expect(delivered).toEqual(['one']);
    draft.keepText();
    expect(stored()).toBe('one\n\ntwo\n\nthree\n\nfour');
    first.resolve();
    await sent;
    expect(delivered).toEqual(['one', 'two', 'three']);
    expect(draft).toMatchObject({ text: 'four', sending: false, error: null });
    expect(stored()).toBe('four');
  });

  it('is restored with it, in order, if the server rejects the first', async () => {
    const { draft, delivered, first, sendText, stored } = twoMessages();
    const sent = sendText('one', { until: first.promise });
    await sendText('two');
    draft.write('three');
    first.reject(new ApiError({ code: 'storage_full', status: 507, detail: 'The disk is full.' }));
    await sent;
    expect(delivered).toEqual(['one']);
    expect(draft.text).toBe('one\n\ntwo\n\nthree');
    expect(draft.error?.message).toBe('The disk is full.');
    expect(stored()).toBe('one\n\ntwo\n\nthree');
    // It can be sent again.
    await sendText(draft.text);
    expect(delivered).toEqual(['one', 'one\n\ntwo\n\nthree']);
  });

  it('is restored if another conversation is shown by then', async () => {
    const { draft, delivered, first, sendText } = twoMessages();
    const sent = sendText('one', { until: first.promise });
    await sendText('two', { isShown: () => false });
    first.resolve();
    await sent;
    expect(delivered).toEqual(['one']);
    expect(draft).toMatchObject({ text: 'two', sending: false, error: null });
  });
});

it('moves to its conversation when that gets an id, with all text written since', async () => {
  const deps = testDeps();
  const draft = new ComposerDraft('new', deps);
  draft.write('first');
  await draft.add([file('a.png')]);
  await draft.send(async () => {
    draft.write('second');
    await draft.add([file('b.png')]);
    draft.rename('c1');
    expect(new ComposerDraft('c1', deps)).toMatchObject({
      text: 'first',
      attachments: [{ name: 'a.png' }, { name: 'b.png' }],
    });
  });
  expect(draft.text).toBe('second');
  expect(new ComposerDraft('c1', deps)).toMatchObject({ text: 'second', attachments: [{ name: 'b.png' }] });
  expect(new ComposerDraft('new', deps).empty).toBe(true);
});

it('removes the connection error once the server is reachable, and keeps other errors', async () => {
  const draft = new ComposerDraft('c1', testDeps());
  for (const [code, left] of [
    ['network', undefined],
    ['storage_full', 'storage_full'],
  ] as const) {
    draft.write('hello');
    await draft.send(() => Promise.reject(new ApiError({ code, status: 0, detail: 'No.' })));
    expect(draft.error?.code).toBe(code);
    draft.reconnected();
    expect(draft.error?.code).toBe(left);
  }
});

it('cannot be sent while a file is read or has failed; a failed upload can be retried', async () => {
  const outcomes: PreparedFile[] = [{ ok: false, problem: 'upload_failed' }, picture];
  const draft = new ComposerDraft(
    'c1',
    testDeps(async () => outcomes.shift() ?? picture),
  );
  draft.write('look');
  const added = draft.add([file()]);
  expect(draft.blocker).toBe('reading');
  await added;
  expect(draft.blocker).toBe('failed');
  await draft.retry(draft.attachments[0]?.id ?? '');
  expect(draft.blocker).toBeNull();
});

it('offers no retry for what cannot succeed', async () => {
  const draft = new ComposerDraft(
    'c1',
    testDeps(async () => ({ ok: false, problem: 'unsupported' })),
  );
  await draft.add([file('a.zip')]);
  expect(draft.attachments.map((attachment) => draft.canRetry(attachment))).toEqual([false]);
});

it('does not restore a file that was removed while it was read', async () => {
  let done = (_: PreparedFile): void => undefined;
  const draft = new ComposerDraft(
    'c1',
    testDeps(() => new Promise((resolve) => (done = resolve))),
  );
  const added = draft.add([file()]);
  draft.remove(draft.attachments[0]?.id ?? '');
  done(picture);
  await added;
  expect(draft.attachments).toEqual([]);
});

it('names the files beyond the limit and reads the others', async () => {
  const draft = new ComposerDraft('c1', testDeps());
  await draft.add(Array.from({ length: 18 }, () => file()));
  await draft.add(Array.from({ length: 4 }, () => file()));
  expect(draft.attachments.filter((attachment) => attachment.state === 'ready')).toHaveLength(20);
  expect(draft.attachments.slice(20)).toMatchObject([{ problem: 'too_many' }, { problem: 'too_many' }]);
});

describe('attached resources', () => {
  const origin = { place: 'tab' as const, serverId: 's', uri: 'a:b' };
  const ready = {
    name: 'Notes',
    origin,
    state: 'ready' as const,
    kind: 'resource' as const,
    parts: [{ type: 'resource' as const, uri: 'a:b', text: 'Rain.' }],
  };

  it('appear as loading, once, and are loaded again after a failure', async () => {
    const load = vi.fn();
    const draft = new ComposerDraft('c1', { ...testDeps(), load });
    const id = draft.attach({ name: 'Notes', origin, state: 'reading' });
    expect(draft.attach({ name: 'Notes', origin, state: 'reading' })).toBe(id);
    expect(draft.attachments).toMatchObject([{ id, state: 'reading' }]);
    expect(draft.blocker).toBe('reading');
    draft.replace({ id, name: 'Notes', origin, state: 'failed', problem: 'not_loaded', detail: 'locked' });
    expect(draft.blocker).toBe('failed');
    await draft.retry(id);
    expect(draft.attachments).toMatchObject([{ id, state: 'reading', origin }]);
    expect(load).toHaveBeenCalledTimes(2);
  });

  it('that are removed while loading stay removed', () => {
    const draft = new ComposerDraft('c1', testDeps());
    const id = draft.attach({ name: 'Notes', origin, state: 'reading' });
    draft.remove(id);
    draft.replace({ ...ready, id });
    expect(draft.attachments).toEqual([]);
  });

  it('are sent in their order after the text, once, and are attached again if sending fails', async () => {
    const deps = testDeps();
    const draft = new ComposerDraft('c1', deps);
    draft.write('Look');
    draft.attach(ready);
    await draft.add([file()]);
    // They belong to their conversation.
    expect(new ComposerDraft('c1', deps).attachments).toMatchObject([{ name: 'Notes' }, { name: 'a.png' }]);
    expect(new ComposerDraft('c2', deps).attachments).toEqual([]);
    const fail = (): Promise<void> => Promise.reject(new ApiError({ code: 'network', status: 0, detail: 'No.' }));
    await draft.send(fail);
    expect(draft.attachments).toMatchObject([{ name: 'Notes' }, { name: 'a.png' }]);
    const sent: unknown[] = [];
    await draft.send(async (parts) => void sent.push(...parts));
    expect(sent).toMatchObject([
      { type: 'text', text: 'Look' },
      { type: 'resource', text: 'Rain.' },
      { type: 'image' },
    ]);
    expect(draft.empty).toBe(true);
  });

  it('survive a reload with their contents and their origin', () => {
    const deps = testDeps();
    new ComposerDraft('c1', deps).attach(ready);
    expect(new ComposerDraft('c1', deps).attachments).toMatchObject([{ ...ready, kind: 'resource' }]);
  });
});
