import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SharedStorage } from '../../storage.ts';
import { ANNE, BERT } from '../conversation.ts';
import type { TestStore, CreateTestStore } from './test-store.ts';

/** Sessions of browsers, sign-in codes and API keys. */
export function describeAccess(createStore: CreateTestStore): void {
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

  const session = (id: string, { ownerId } = ANNE) => ({
    id,
    ownerId,
    tokenHash: `hash of ${id}`,
    secretHash: 'secret',
    userAgent: 'Browser',
    createdAt: 1,
    lastUsedAt: 1,
    expiresAt: 100,
  });

  test('a session is found by its hash until it expires or its owner revokes it', async () => {
    const { sessions } = storage;
    for (const id of ['a', 'b', 'c']) await sessions.create(session(id));
    await sessions.create(session('bert', BERT));
    expect(await sessions.find('hash of a', 99)).toEqual({ ...session('a'), tokenHash: undefined });
    expect(await sessions.find('hash of a', 100)).toBeNull();
    await sessions.touch('a', { lastUsedAt: 50, expiresAt: 150 });
    expect(await sessions.isValid('a', 149)).toBe(true);
    expect((await sessions.list(ANNE, 99)).map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    expect(await sessions.revoke(BERT, 'a')).toBe(false);
    expect(await sessions.revoke(ANNE, 'a')).toBe(true);
    expect(await sessions.isValid('a', 50)).toBe(false);
    expect(await sessions.revokeAll(ANNE, 'b')).toBe(1);
    expect((await sessions.list(ANNE, 50)).map(({ id }) => id)).toEqual(['b']);
    await sessions.sweep(100);
    expect(await sessions.find('hash of bert', 50)).toBeNull();
  });

  test('a sign-in code works once, also concurrently', async () => {
    const { sessions } = storage;
    await sessions.addCode(ANNE, 'code', 100);
    await sessions.addCode(BERT, 'old', 100);
    expect(await sessions.useCode('old', 100)).toBeNull();
    const used = await Promise.all([1, 2, 3].map(() => sessions.useCode('code', 50)));
    expect(used.filter((owner) => owner !== null)).toEqual([ANNE]);
    expect(await sessions.useCode('code', 50)).toBeNull();
  });

  test('an API key is found by its hash until it expires or its owner revokes it', async () => {
    const { apiKeys } = storage;
    const key = { id: 'k', ownerId: ANNE.ownerId, name: 'A program', start: 'tyk_ab', scopes: ['read', 'approve'] };
    const times = { createdAt: 1, expiresAt: 100, lastUsedAt: null, limits: { rate: { perDay: 5 } } };
    await apiKeys.create({ ...key, ...times, keyHash: 'hash' });
    expect(await apiKeys.find('hash', 99)).toEqual({ ...key, ...times });
    expect(await apiKeys.find('hash', 100)).toBeNull();
    expect([await apiKeys.isValid('k', 99), await apiKeys.isValid('k', 100)]).toEqual([true, false]);
    await apiKeys.touch('k', 7);
    expect(await apiKeys.list(ANNE)).toEqual([{ ...key, ...times, lastUsedAt: 7 }]);
    expect(await apiKeys.list(BERT)).toEqual([]);
    expect(await apiKeys.revoke(BERT, 'k')).toBe(false);
    expect(await apiKeys.revoke(ANNE, 'k')).toBe(true);
    expect(await apiKeys.find('hash', 50)).toBeNull();
    expect(await apiKeys.isValid('k', 50)).toBe(false);
  });
}
