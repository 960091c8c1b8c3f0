import { afterEach, beforeEach, expect, test } from 'vitest';
import type { UserMessage } from '@toolyard/protocol';
import { createFakeClock } from '@toolyard/testing';
import { MAX_INLINE_BYTES } from './large-results.ts';
import { mediaToBlobs } from './media.ts';
import type { Storage } from './storage.ts';
import { openStorage } from './open-storage.ts';
import { ANNE, createCommit, deltas, newRun, userMessage } from './test-fixtures/conversation.ts';
import { temporaryFolder } from './test-fixtures/sqlite-engine.ts';

let folder: ReturnType<typeof temporaryFolder>;
let storage: Storage;

beforeEach(async () => {
  folder = temporaryFolder();
  storage = await openStorage({ folder: folder.path, clock: createFakeClock() });
  await storage.conversations.create(ANNE, { id: 'c1', title: '', at: 1 });
});
afterEach(() => {
  storage.close();
  folder.remove();
});

const large = new Uint8Array(MAX_INLINE_BYTES + 3).fill(9);
const image = (bytes: Uint8Array) =>
  ({ type: 'image', mimeType: 'image/png', source: { data: Buffer.from(bytes).toString('base64') } }) as const;
const withImages = (...images: Uint8Array[]): UserMessage => ({ ...userMessage('m1'), parts: images.map(image) });

test('moves a large image to the blob store once, keeps a small one inline, and restores both', async () => {
  const message = withImages(large, new Uint8Array([1]), large);
  const stored = await mediaToBlobs(message, (bytes, mimeType) => storage.blobs.put(ANNE, bytes, { mimeType, at: 1 }));
  const [first, second, third] = stored.parts;
  expect(second).toEqual(message.parts[1]);
  expect(third).toEqual(first);
  await storage.messages.add(ANNE, 'c1', stored);
  const read = await storage.messages.get(ANNE, 'c1', 'm1');
  const part = read?.parts[0];
  const sha256 = part?.type === 'image' && 'blob' in part.source ? part.source.blob : '';
  expect(storage.blobs.info(ANNE, sha256)).toMatchObject({ mimeType: 'image/png', size: large.length });
  expect(new Uint8Array((await storage.blobs.read(ANNE, sha256)) ?? [])).toEqual(large);
});

test('returns a message without large media unchanged', async () => {
  const message = withImages(new Uint8Array([1]));
  expect(await mediaToBlobs(message, () => Promise.reject(new Error('not asked')))).toBe(message);
});

test('rejects a large image in a message and in an event, but not long text', async () => {
  const message = withImages(large);
  await expect(storage.messages.add(ANNE, 'c1', message)).rejects.toThrow(/stored as a blob/);
  storage.runs.createRun(ANNE, newRun('r1', 'c1'));
  const [event] = deltas('r1', 0, 1);
  if (!event) throw new Error('no event');
  const { v, seq, runId, step, attempt, at } = event;
  const started = { v, seq, runId, step, attempt, at, type: 'run_started', conversationId: 'c1' } as const;
  const outcomes = storage.runs.commit([
    createCommit('r1', { events: [{ ...started, place: 'server', model: 'demo', message }] }),
    createCommit('r1', { events: deltas('r1', 0, 1).map((delta) => ({ ...delta, text: 'x'.repeat(200_000) })) }),
  ]);
  expect(outcomes).toMatchObject([{ outcome: 'invalid' }, { outcome: 'committed' }]);
});
