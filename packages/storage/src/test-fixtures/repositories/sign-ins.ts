import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SharedStorage } from '../../storage.ts';
import { ANNE, BERT } from '../conversation.ts';
import type { TestStore, CreateTestStore } from './test-store.ts';

const row = (byte: number, expected: string | null, expiresAt: number | null = null) => ({
  sealed: new Uint8Array([byte]),
  expected,
  expiresAt,
  at: 1,
});

/** Rows with optimistic locking. */
export function describeSignIns(createStore: CreateTestStore): void {
  let home: TestStore;
  let storage: SharedStorage;
  let signIns: SharedStorage['signIns'];

  beforeEach(async () => {
    home = await createStore();
    storage = await home.open();
    ({ signIns } = storage);
  });
  afterEach(async () => {
    await storage.close();
    await home.remove();
  });

  const readByte = async (key: string) => (await signIns.get(ANNE, key))?.sealed[0];

  test('of concurrent writes with the same version, one succeeds', async () => {
    const first = await signIns.put(ANNE, 'tokens/x', row(0, null));
    expect(first).not.toBeNull();
    const versions = await Promise.all([1, 2, 3, 4, 5].map((byte) => signIns.put(ANNE, 'tokens/x', row(byte, first))));
    const written = versions.filter((version) => version !== null);
    expect(written).toHaveLength(1);
    expect((await signIns.get(ANNE, 'tokens/x'))?.version).toBe(written[0]);
  });

  test('of concurrent first writes, one succeeds', async () => {
    const versions = await Promise.all([1, 2, 3].map((byte) => signIns.put(ANNE, 'new', row(byte, null))));
    expect(versions.filter((version) => version !== null)).toHaveLength(1);
  });

  test('removal fails after a later write, even if the row was removed and written again', async () => {
    const first = (await signIns.put(ANNE, 'k', row(1, null))) ?? '';
    expect(await signIns.remove(ANNE, 'k', first)).toBe(true);
    const second = (await signIns.put(ANNE, 'k', row(2, null))) ?? '';
    expect(await signIns.remove(ANNE, 'k', first)).toBe(false);
    expect(await signIns.put(ANNE, 'k', row(3, first))).toBeNull();
    expect(await readByte('k')).toBe(2);
    expect(await signIns.remove(ANNE, 'k', second)).toBe(true);
    expect(await signIns.get(ANNE, 'k')).toBeNull();
  });

  test('the sweep deletes expired rows and nothing else', async () => {
    await signIns.put(ANNE, 'old', row(1, null, 100));
    await signIns.put(ANNE, 'young', row(2, null, 101));
    await signIns.put(ANNE, 'lasting', row(3, null));
    await signIns.sweep(100);
    expect([await readByte('old'), await readByte('young'), await readByte('lasting')]).toEqual([undefined, 2, 3]);
  });

  test('belong to one owner, and persist after reopening the folder', async () => {
    const version = (await signIns.put(ANNE, 'k', row(7, null))) ?? '';
    expect(await signIns.get(BERT, 'k')).toBeNull();
    expect(await signIns.put(BERT, 'k', row(8, version))).toBeNull();
    expect(await signIns.remove(BERT, 'k', version)).toBe(false);
    await storage.close();
    storage = await home.open();
    ({ signIns } = storage);
    expect(await signIns.get(ANNE, 'k')).toEqual({ sealed: new Uint8Array([7]), version });
  });
}
