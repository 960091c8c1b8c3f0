import { afterEach, beforeEach, expect, test } from 'vitest';
import type { StoredArtifactVersion } from '../../repositories/artifacts.ts';
import type { SharedStorage } from '../../storage.ts';
import { ANNE, BERT } from '../conversation.ts';
import type { TestStore, CreateTestStore } from './test-store.ts';

/** Documents of conversations, and what models remember for users. */
export function describeArtifactsAndMemories(createStore: CreateTestStore): void {
  let home: TestStore;
  let storage: SharedStorage;

  const version = (change: Partial<StoredArtifactVersion> = {}): StoredArtifactVersion => ({
    conversationId: 'c1',
    id: 'a1',
    version: 1,
    runId: 'r1',
    callId: 'r1.1.0',
    kind: 'code',
    language: 'ts',
    title: 'Notes',
    blob: 'f'.repeat(64),
    size: 3,
    createdAt: 5,
    ...change,
  });
  const source = { conversationId: 'c1', runId: 'r1', callId: 'r1.1.0' };
  const texts = async () => (await storage.memories.list(ANNE)).map(({ text }) => text);

  beforeEach(async () => {
    home = await createStore();
    storage = await home.open();
    await storage.conversations.create(ANNE, { id: 'c1', title: 'Boats', at: 1 });
  });
  afterEach(async () => {
    await storage.close();
    await home.remove();
  });

  test('keeps each version of a document once, and one per call', async () => {
    expect(await storage.artifacts.add(ANNE, version())).toBe(true);
    expect(await storage.artifacts.add(ANNE, version({ callId: 'r1.2.0' }))).toBe(false);
    expect(await storage.artifacts.add(ANNE, version({ version: 2 }))).toBe(false);
    const second = version({ version: 2, callId: 'r1.2.0', language: null, createdAt: 6 });
    expect(await storage.artifacts.add(ANNE, second)).toBe(true);
    expect(await storage.artifacts.list(ANNE, 'c1')).toEqual([version(), second]);
  });

  test('keeps documents only in conversations of their owner', async () => {
    expect(await storage.artifacts.add(BERT, version())).toBe(false);
    expect(await storage.artifacts.add(ANNE, version({ conversationId: 'c2' }))).toBe(false);
    await storage.artifacts.add(ANNE, version());
    expect(await storage.artifacts.list(BERT, 'c1')).toEqual([]);
  });

  test('deletes documents with their conversation, and then their texts', async () => {
    const { sha256 } = await storage.blobs.put(ANNE, Buffer.from('text'), { mimeType: 'text/plain', at: 10 });
    await storage.artifacts.add(ANNE, version({ blob: sha256 }));
    expect(await storage.sweepBlobs({ unusedSince: 50 })).toBe(0);
    await storage.conversations.purge(ANNE, 'c1');
    expect(await storage.artifacts.list(ANNE, 'c1')).toEqual([]);
    expect(await storage.sweepBlobs({ unusedSince: 50 })).toBe(1);
  });

  test('keeps each memory once, newest first, up to a limit', async () => {
    const add = (id: string, text: string, at: number) => storage.memories.add(ANNE, { id, text, source, at }, 2);
    expect(await add('m1', 'Likes tea.', 2)).toBe(true);
    expect(await add('m2', 'Likes tea.', 3)).toBe(false);
    expect(await add('m3', 'Lives in Bern.', 4)).toBe(true);
    expect(await add('m4', 'Too many.', 5)).toBe(false);
    const memory = { id: 'm1', text: 'Likes tea.', source, conversationTitle: 'Boats', createdAt: 2, updatedAt: 2 };
    expect(await storage.memories.list(ANNE)).toEqual([
      { ...memory, id: 'm3', text: 'Lives in Bern.', createdAt: 4, updatedAt: 4 },
      memory,
    ]);
    expect(await storage.memories.list(BERT)).toEqual([]);
  });

  test('changes and deletes memories of their owner, which outlive their conversation', async () => {
    for (const id of ['m1', 'm2', 'm3']) await storage.memories.add(ANNE, { id, text: id, source: null, at: 2 }, 9);
    await storage.memories.add(ANNE, { id: 'm4', text: 'm4', source, at: 1 }, 9);
    expect(await storage.memories.update(BERT, 'm1', 'x', 3)).toBe(false);
    expect(await storage.memories.update(ANNE, 'm1', 'changed', 3)).toBe(true);
    expect(await storage.memories.remove(BERT, 'm2')).toBe(false);
    expect(await storage.memories.remove(ANNE, 'm2')).toBe(true);
    await storage.conversations.purge(ANNE, 'c1');
    expect(await texts()).toEqual(['m3', 'changed', 'm4']);
    expect((await storage.memories.list(ANNE)).at(-1)).toMatchObject({ source, conversationTitle: null });
    expect(await storage.memories.removeAll(BERT)).toBe(0);
    expect(await storage.memories.removeAll(ANNE)).toBe(3);
    expect(await texts()).toEqual([]);
  });
}
