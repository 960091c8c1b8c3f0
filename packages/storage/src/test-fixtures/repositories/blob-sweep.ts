import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ImagePart } from '@toolyard/protocol';
import type { SharedStorage } from '../../storage.ts';
import { ANNE, approval, BERT, createCommit, newRun, userMessage } from '../conversation.ts';
import type { TestStore, CreateTestStore } from './test-store.ts';

/** Deletion of blobs without references. */
export function describeBlobSweep(createStore: CreateTestStore): void {
  let home: TestStore;
  let storage: SharedStorage;

  beforeEach(async () => {
    home = await createStore();
    storage = await home.open();
  });
  afterEach(async () => {
    await storage.close();
    await home.remove();
  });

  const put = async (text: string, at = 10): Promise<string> =>
    (await storage.blobs.put(ANNE, Buffer.from(text), { mimeType: 'image/png', at })).sha256;
  const exists = async (sha256: string): Promise<boolean> => (await storage.blobs.read(ANNE, sha256)) !== null;
  const image = (blob: string): ImagePart => ({ type: 'image', mimeType: 'image/png', source: { blob } });

  test('keeps recent blobs and those referenced by a message, the queue, an interrupt or a run', async () => {
    const hashes = await Promise.all(['message', 'queue', 'interrupt', 'state', 'inbox'].map((text) => put(text)));
    const [message = '', queued = '', interruptBlob = '', state = '', inbox = ''] = hashes;
    const recent = await put('young', 50);
    const [forgotten, both] = [await put('forgotten'), await put('both')];
    await storage.blobs.put(BERT, Buffer.from('both'), { mimeType: 'image/png', at: 10 });
    await storage.conversations.create(ANNE, { id: 'c1', title: '', at: 1 });
    await storage.messages.add(ANNE, 'c1', { ...userMessage('m1'), parts: [image(message)] }, { leaf: true });
    await storage.runs.createRun(ANNE, newRun('r1', 'c1', { state: { seen: [{ source: { blob: state } }] } }));
    const interrupt = { ...approval('i1'), arguments: { picture: { blob: interruptBlob } } };
    await storage.runs.commit([createCommit('r1', { interrupts: { opened: [{ interrupt, mode: 'parked' }] } })]);
    await storage.runs.putInbox(ANNE, 'r1', { id: 'x', kind: 'answer', body: { blob: inbox }, at: 1 });
    await storage.queue.add(ANNE, { id: 'q', conversationId: 'c1', parts: [image(queued)], at: 1 });

    expect(await storage.sweepBlobs({ unusedSince: 50 })).toBe(3);
    for (const sha256 of [...hashes, recent]) expect(await exists(sha256)).toBe(true);
    expect([await exists(forgotten), await exists(both)]).toEqual([false, false]);
    expect(await storage.check()).toEqual({ ok: true });

    await storage.conversations.purge(ANNE, 'c1');
    expect(await storage.sweepBlobs({ unusedSince: 50 })).toBe(5);
    expect(await exists(message)).toBe(false);
    expect(await exists(recent)).toBe(true);
    expect(await storage.sweepBlobs({ unusedSince: 50 })).toBe(0);
  });

  test('uploading or attaching a blob again renews its age', async () => {
    const [again, attached, old] = [await put('again'), await put('attached'), await put('old')];
    await put('again', 60);
    expect(await storage.blobs.touch(ANNE, attached, 60)).toBe(true);
    expect(await storage.blobs.touch(BERT, attached, 60)).toBe(false);
    expect(await storage.sweepBlobs({ unusedSince: 50 })).toBe(1);
    expect([await exists(again), await exists(attached), await exists(old)]).toEqual([true, true, false]);
  });

  test('keeps a blob attached during the sweep', async () => {
    const attached = await put('attached');
    const sweeping = storage.sweepBlobs({ unusedSince: 50 });
    // Over a socket the sweep may finish earlier: attaching then reports that the blob is gone.
    const isAttached = await storage.blobs.touch(ANNE, attached, 60);
    await sweeping;
    expect(await exists(attached)).toBe(isAttached);
  });

  test('a cancelled sweep deletes nothing more', async () => {
    const old = await put('old');
    expect(await storage.sweepBlobs({ unusedSince: 50, signal: AbortSignal.abort() })).toBe(0);
    expect(await exists(old)).toBe(true);
  });
}
