import { beforeEach, afterEach, expect, it, vi } from 'vitest';
import type { JsonObject, JsonValue } from '@toolyard/protocol';
import type { BrowserValueFamily } from '../browser-storage.ts';
import { ComposerDraft } from '../composer/draft.svelte.ts';
import { ContextAttachment } from './context-attachment.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function family<T>(fallback: T): BrowserValueFamily<T> {
  const values = new Map<string, T>();
  return { get: (id) => values.get(id) ?? fallback, set: (id, value) => void values.set(id, value) };
}

function setUp() {
  const storage = { text: family(''), files: family<JsonValue[]>([]), choices: family<JsonObject>({}) };
  /** A draft as a (re)loaded page reads it. */
  const open = () => new ComposerDraft('c', { storage, prepare: () => Promise.reject(new Error('no file')) });
  const contextIn = (draft: ComposerDraft, callId = 'call-1') =>
    new ContextAttachment({ draft: () => draft, uri: 'ui://clock/app', callId, serverId: 's', name: 'Context' });
  const listTexts = ({ attachments }: ComposerDraft) =>
    attachments.map((each) => (each.state === 'ready' ? each.parts.map((part) => 'text' in part && part.text) : []));
  return { open, contextIn, textsOf: listTexts };
}

const set = (context: ContextAttachment, text: string | null) => {
  context.set(text);
  vi.advanceTimersByTime(1_000);
};

it('replaces the attachment of the app, also after a reload of the page', () => {
  const { open, contextIn, textsOf } = setUp();
  const draft = open();
  const context = contextIn(draft);
  set(context, 'one');
  set(context, 'two');
  expect(textsOf(draft)).toEqual([['two']]);
  const reloaded = open();
  expect(textsOf(reloaded)).toEqual([['two']]);
  set(contextIn(reloaded), 'three');
  expect(textsOf(reloaded)).toEqual([['three']]);
  set(contextIn(reloaded, 'call-2'), 'of another card');
  expect(textsOf(reloaded)).toEqual([['three'], ['of another card']]);
  set(contextIn(reloaded), null);
  expect(textsOf(reloaded)).toEqual([['of another card']]);
});

it('stays removed after the user removed it, until the message is sent', async () => {
  const { open, contextIn, textsOf } = setUp();
  const draft = open();
  const context = contextIn(draft);
  set(context, 'one');
  // The app itself may remove and attach it.
  set(context, null);
  set(context, 'two');
  expect(textsOf(draft)).toEqual([['two']]);
  draft.remove(draft.attachments[0]?.id ?? '');
  set(context, 'three');
  // The card was rendered again.
  set(contextIn(draft), 'four');
  expect(textsOf(draft)).toEqual([]);
  const reloaded = open();
  set(contextIn(reloaded), 'four');
  expect(textsOf(reloaded)).toEqual([]);
  set(contextIn(draft, 'call-2'), 'of another card');
  expect(textsOf(draft)).toEqual([['of another card']]);
  draft.write('A message');
  await draft.send(() => Promise.resolve());
  set(context, 'five');
  expect(textsOf(draft)).toEqual([['five']]);
});

it('writes only the last of many changes, at once if flushed', () => {
  const { open, contextIn, textsOf } = setUp();
  const draft = open();
  const changed = vi.fn();
  draft.changed = changed;
  const context = contextIn(draft);
  for (let index = 0; index < 500; index += 1) context.set(`change ${String(index)}`);
  context.flush();
  expect(textsOf(draft)).toEqual([['change 499']]);
  expect(changed).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1_000);
  expect(changed).toHaveBeenCalledTimes(1);
});
