import { afterEach, beforeEach, expect, test } from 'vitest';
import type { JsonObject } from '@toolyard/protocol';
import type { SharedStorage } from '../../storage.ts';
import { ANNE, BERT } from '../conversation.ts';
import type { TestStore, CreateTestStore } from './test-store.ts';

/** The messages being written. */
export function describeDrafts(createStore: CreateTestStore): void {
  let home: TestStore;
  let storage: SharedStorage;

  const draft = (text: string): JsonObject => ({ text, attachments: [] });

  beforeEach(async () => {
    home = await createStore();
    storage = await home.open();
    await storage.conversations.create(ANNE, { id: 'c1', title: '', at: 1 });
  });
  afterEach(async () => {
    await storage.close();
    await home.remove();
  });

  test('keeps one draft per conversation and owner, and one for the new chat', async () => {
    await storage.drafts.set(ANNE, 'c1', draft('first'), 2);
    await storage.drafts.set(ANNE, 'c1', draft('second'), 3);
    await storage.drafts.set(ANNE, null, draft('new'), 4);
    await storage.drafts.set(BERT, null, draft('of Bert'), 5);
    expect(await storage.drafts.get(ANNE, 'c1')).toEqual({ draft: draft('second'), updatedAt: 3 });
    expect(await storage.drafts.get(ANNE, null)).toEqual({ draft: draft('new'), updatedAt: 4 });
    expect(await storage.drafts.get(BERT, 'c1')).toBeNull();
    expect(await storage.drafts.remove(ANNE, null)).toBe(true);
    expect(await storage.drafts.get(ANNE, null)).toBeNull();
    expect(await storage.drafts.get(BERT, null)).toMatchObject({ updatedAt: 5 });
  });

  test('rejects a draft of a conversation that the owner does not have', async () => {
    await expect(storage.drafts.set(BERT, 'c1', draft('x'), 2)).rejects.toMatchObject({ code: 'not_found' });
    await expect(storage.drafts.set(ANNE, 'c2', draft('x'), 2)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('deletes the draft with its conversation, and then its files', async () => {
    const { sha256 } = await storage.blobs.put(ANNE, Buffer.from('image'), { mimeType: 'image/png', at: 10 });
    const part = { type: 'image', mimeType: 'image/png', source: { blob: sha256 } };
    await storage.drafts.set(ANNE, 'c1', { text: '', attachments: [{ id: 'a', name: 'a', parts: [part] }] }, 2);
    expect(await storage.sweepBlobs({ unusedSince: 50 })).toBe(0);
    await storage.conversations.purge(ANNE, 'c1');
    expect(await storage.drafts.get(ANNE, 'c1')).toBeNull();
    expect(await storage.sweepBlobs({ unusedSince: 50 })).toBe(1);
  });

  test('rejects large media, which must be stored as a blob', async () => {
    const part = { type: 'image', mimeType: 'image/png', source: { data: 'A'.repeat(100_000) } };
    const large = { text: '', attachments: [{ id: 'a', name: 'a', parts: [part] }] };
    await expect(storage.drafts.set(ANNE, 'c1', large, 2)).rejects.toMatchObject({ code: 'bad_request' });
  });
}
