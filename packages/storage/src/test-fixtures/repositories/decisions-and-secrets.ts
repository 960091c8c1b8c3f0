import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SharedStorage } from '../../storage.ts';
import { ANNE, BERT } from '../conversation.ts';
import type { TestStore, CreateTestStore } from './test-store.ts';

/** Tool permissions and sealed bytes. */
export function describeDecisionsAndSecrets(createStore: CreateTestStore): void {
  let home: TestStore;
  let storage: SharedStorage;

  beforeEach(async () => {
    home = await createStore();
    storage = await home.open();
    for (const id of ['c1', 'c2']) await storage.conversations.create(ANNE, { id, title: id, at: 1 });
  });
  afterEach(async () => {
    await storage.close();
    await home.remove();
  });

  describe('permissions', () => {
    const tool = { serverId: 'files', name: 'delete' };
    const everywhere = { tool, conversationId: null, decision: 'never', at: 1 } as const;
    const here = { tool, conversationId: 'c1', decision: 'allow', at: 2 } as const;

    test('apply everywhere or in one conversation; another conversation sees only the global ones', async () => {
      await storage.permissions.set(ANNE, everywhere);
      await storage.permissions.set(ANNE, here);
      expect(await storage.permissions.list(ANNE)).toEqual([everywhere, here]);
      expect(await storage.permissions.list(ANNE, { conversationId: 'c1' })).toEqual([everywhere, here]);
      expect(await storage.permissions.list(ANNE, { conversationId: 'c2' })).toEqual([everywhere]);
    });

    test('distinguish tools of different servers', async () => {
      await storage.permissions.set(ANNE, everywhere);
      const other = { ...everywhere, tool: { ...tool, serverId: 'photos' }, decision: 'allow' } as const;
      await storage.permissions.set(ANNE, other);
      expect(await storage.permissions.list(ANNE)).toEqual([everywhere, other]);
    });

    test('are replaced by a later decision of the same scope', async () => {
      for (const permission of [everywhere, here]) {
        await storage.permissions.set(ANNE, { ...permission, decision: 'allow', at: 0 });
        await storage.permissions.set(ANNE, permission);
      }
      expect(await storage.permissions.list(ANNE)).toEqual([everywhere, here]);
    });

    test('are removed one scope at a time', async () => {
      await storage.permissions.set(ANNE, everywhere);
      await storage.permissions.set(ANNE, here);
      expect(await storage.permissions.remove(ANNE, tool, null)).toBe(true);
      expect(await storage.permissions.remove(ANNE, tool, null)).toBe(false);
      expect(await storage.permissions.list(ANNE)).toEqual([here]);
      expect(await storage.permissions.remove(ANNE, tool, 'c1')).toBe(true);
      expect(await storage.permissions.list(ANNE)).toEqual([]);
    });

    test('of a conversation are deleted with it', async () => {
      await storage.permissions.set(ANNE, everywhere);
      await storage.permissions.set(ANNE, here);
      await storage.conversations.purge(ANNE, 'c1');
      expect(await storage.permissions.list(ANNE)).toEqual([everywhere]);
    });

    test('apply to their owner only', async () => {
      await storage.permissions.set(ANNE, everywhere);
      expect(await storage.permissions.list(BERT)).toEqual([]);
      expect(await storage.permissions.remove(BERT, tool, null)).toBe(false);
      await expect(storage.permissions.set(BERT, here)).rejects.toMatchObject({ code: 'not_found' });
      await storage.permissions.set(BERT, { ...everywhere, decision: 'allow' });
      expect(await storage.permissions.list(ANNE)).toEqual([everywhere]);
    });
  });

  describe('secrets', () => {
    const bytes = Uint8Array.from({ length: 256 }, (_none, index) => index);

    test('are returned unchanged, also after reopening the folder', async () => {
      await storage.secrets.set(ANNE, 'provider:one', new Uint8Array([1]), 1);
      await storage.secrets.set(ANNE, 'provider:one', bytes, 2);
      await storage.secrets.set(ANNE, 'provider:empty', new Uint8Array(), 2);
      await storage.close();
      storage = await home.open();
      expect(await storage.secrets.get(ANNE, 'provider:one')).toEqual(bytes);
      expect(await storage.secrets.get(ANNE, 'provider:empty')).toEqual(new Uint8Array());
      expect(await storage.secrets.get(ANNE, 'provider:two')).toBeNull();
    });

    test('are listed by name and by literal prefix', async () => {
      for (const name of ['a%:x', 'a:y', 'a:x', 'b:x']) await storage.secrets.set(ANNE, name, bytes, 1);
      expect(await storage.secrets.names(ANNE)).toEqual(['a%:x', 'a:x', 'a:y', 'b:x']);
      expect(await storage.secrets.names(ANNE, 'a:')).toEqual(['a:x', 'a:y']);
      expect(await storage.secrets.names(ANNE, 'a%')).toEqual(['a%:x']);
    });

    test('are enumerated together with sign-ins, to verify the key', async () => {
      expect(await storage.secrets.everySealed()).toEqual([]);
      await storage.secrets.set(ANNE, 'key', new Uint8Array([1]), 1);
      await storage.secrets.set(BERT, 'key', new Uint8Array([2]), 1);
      const signIn = { sealed: new Uint8Array([3]), expected: null, expiresAt: null, at: 1 };
      await storage.signIns.put(BERT, 'tokens/x', signIn);
      expect((await storage.secrets.everySealed()).map(([byte]) => byte).toSorted()).toEqual([1, 2, 3]);
    });

    test('are not accessible to another owner', async () => {
      await storage.secrets.set(ANNE, 'key', bytes, 1);
      expect(await storage.secrets.get(BERT, 'key')).toBeNull();
      expect(await storage.secrets.names(BERT)).toEqual([]);
      expect(await storage.secrets.remove(BERT, 'key')).toBe(false);
      expect(await storage.secrets.remove(ANNE, 'key')).toBe(true);
      expect(await storage.secrets.get(ANNE, 'key')).toBeNull();
    });
  });
}
