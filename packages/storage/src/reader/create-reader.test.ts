import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Owner } from '@toolyard/protocol';
import { createFakeClock, runNode, SOURCE_CONDITION } from '@toolyard/testing';
import { DATABASE_FILE } from '../layout.ts';
import { openStorage } from '../open-storage.ts';
import type { Storage } from '../storage.ts';
import { ANNE, userMessage } from '../test-fixtures/conversation.ts';
import { temporaryFolder } from '../test-fixtures/sqlite-engine.ts';
import { createReader } from './create-reader.ts';

let folder: ReturnType<typeof temporaryFolder>;
let storage: Storage;

beforeEach(async () => {
  folder = temporaryFolder();
  storage = await openStorage({ folder: folder.path, clock: createFakeClock() });
});
afterEach(() => {
  storage.close();
  folder.remove();
});

const titles = async (query: string): Promise<string[]> =>
  (await storage.conversations.search(ANNE, { query, limit: 10 })).map(({ title }) => title);

describe('search in a worker thread', () => {
  test('finds what was just stored, and nothing that was deleted', async () => {
    for (let at = 0; at < 20; at++) {
      const id = `c${at}`;
      await storage.conversations.create(ANNE, { id, title: `Clocks ${at}`, at });
      expect(await titles(`clocks ${at}`)).toContain(`Clocks ${at}`);
      await storage.messages.add(ANNE, id, { ...userMessage(`${id}.q`), parts: [{ type: 'text', text: `bell${at}` }] });
      expect(await titles(`bell${at}`)).toContain(`Clocks ${at}`);
      await storage.conversations.remove(ANNE, id, at);
      expect(await titles(`bell${at}`)).toEqual([]);
    }
  });

  test('searches in another thread', async () => {
    await storage.conversations.create(ANNE, { id: 'c', title: 'Clocks', at: 1 });
    let found: string[] | undefined;
    const search = titles('clocks').then((answer) => (found = answer));
    // A search in this thread ends within microtasks; a message of another thread needs a turn of the event loop.
    for (let task = 0; task < 1_000; task++) await Promise.resolve();
    expect(found).toBeUndefined();
    await search;
    expect(found).toEqual(['Clocks']);
  });

  test('answers concurrent searches, each with its own result', async () => {
    for (let at = 0; at < 10; at++) await storage.conversations.create(ANNE, { id: `c${at}`, title: `Bell${at}x`, at });
    const found = await Promise.all(Array.from({ length: 10 }, (_none, at) => titles(`bell${at}x`)));
    expect(found).toEqual(Array.from({ length: 10 }, (_none, at) => [`Bell${at}x`]));
  });

  test('closes with the storage: the WAL is checkpointed and pending searches are answered', async () => {
    await storage.conversations.create(ANNE, { id: 'c', title: 'Clocks', at: 1 });
    const endWhileAsked = async (): Promise<boolean> => {
      expect(await titles('clocks')).toEqual(['Clocks']);
      const search = storage.conversations.search(ANNE, { query: 'clocks', limit: 10 }).then(
        () => 'answered',
        () => 'told',
      );
      storage.close();
      const isFolded = !existsSync(join(folder.path, `${DATABASE_FILE}-wal`));
      expect(await search).toBe('told');
      await expect(titles('clocks')).rejects.toThrow();
      return isFolded;
    };
    // Closing waits for the thread only for a limited time: on a busy machine a later close checkpoints the WAL.
    let isFolded = await endWhileAsked();
    for (let attempts = 9; !isFolded && attempts > 0; attempts--) {
      storage = await openStorage({ folder: folder.path, clock: createFakeClock() });
      isFolded = await endWhileAsked();
    }
    expect(isFolded).toBe(true);
  });

  test('does not keep the process alive, closed or not', async () => {
    const program = `
      import { openStorage } from ${JSON.stringify(new URL('../index.ts', import.meta.url).href)};
      import { systemClock } from '@toolyard/protocol';
      const anne = { ownerId: 'anne' };
      const storage = await openStorage({ folder: ${JSON.stringify(folder.path)} + '/' + process.argv[1], clock: systemClock });
      await storage.conversations.create(anne, { id: 'c', title: 'Clocks', at: 1 });
      console.log((await storage.conversations.search(anne, { query: 'clocks', limit: 1 })).length);
      if (process.argv[1] === 'close') storage.close();
    `;
    for (const close of ['close', 'leave']) {
      const ran = await runNode([SOURCE_CONDITION, '--input-type=module', '--eval', program, '--', close], {
        cwd: import.meta.dirname,
      });
      expect(ran).toMatchObject({ code: 0, stdout: '1\n', stderr: '', timedOut: false });
    }
  });
});

test('falls back to this thread if no worker can run', async () => {
  const here = (principal: Owner): { conversationId: string; snippet: string }[] => [
    { conversationId: principal.ownerId, snippet: '' },
  ];
  const usage = (): never => {
    throw new Error('not asked');
  };
  const reader = createReader(join(folder.path, 'not-there.db'), { search: here, usage });
  for (const query of ['a', 'b']) {
    expect(await reader.search(ANNE, { query, limit: 1 })).toMatchObject([{ conversationId: 'anne' }]);
  }
  reader.close();
});
