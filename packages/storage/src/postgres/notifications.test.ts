import { expect, test } from 'vitest';
import { createFakeClock, eventually } from '@toolyard/testing';
import { describeOnDatabases } from '@toolyard/testing/on-postgres';
import { ANNE, createCommit, deltas, newRun } from '../test-fixtures/conversation.ts';
import type { DatabaseStorage } from '../storage.ts';
import { PostgresConnection } from './connection.ts';
import { openDatabase } from './open-database.ts';

describeOnDatabases('notifications between processes', (cluster) => {
  test('reads new events of many runs at once, by owner and up to the limit', async () => {
    const storage = await openDatabase({ url: await cluster().createDatabase(), clock: createFakeClock() });
    try {
      const { ownerId } = ANNE;
      for (const [index, runId] of ['r1', 'r2', 'r3'].entries()) {
        const conversationId = `c${String(index)}`;
        await storage.conversations.create(ANNE, { id: conversationId, title: '', at: 1 });
        await storage.runs.createRun(ANNE, newRun(runId, conversationId));
        await storage.runs.commit([createCommit(runId, { events: deltas(runId, 0, 3) })]);
      }
      const read = async (limit: number): Promise<string[]> => {
        const runs = [
          { ownerId, runId: 'r1', afterSeq: 1 },
          { ownerId, runId: 'r2', afterSeq: 3 },
          { ownerId: 'bert', runId: 'r3', afterSeq: 0 },
          { ownerId, runId: 'nowhere', afterSeq: 0 },
        ];
        return (await storage.notifications.readEvents(runs, limit)).map(({ runId, seq }) => `${runId} ${String(seq)}`);
      };
      expect(await read(100)).toEqual(['r1 2', 'r1 3']);
      expect(await read(1)).toEqual(['r1 2']);
      const [event] = await storage.notifications.readEvents([{ ownerId, runId: 'r1', afterSeq: 0 }], 1);
      expect(event).toEqual((await storage.runs.readEvents(ANNE, 'r1', 0, 1))?.[0]);
    } finally {
      await storage.close();
    }
  });

  test('receives each notification once, even if rows become visible out of order, and never its own', async () => {
    const url = await cluster().createDatabase();
    const [a, b] = [await openAt(url), await openAt(url)];
    const connection = new PostgresConnection({ url });
    const received = { a: [] as string[], b: [] as string[] };
    a.notifications.listen((bodies) => received.a.push(...bodies), ignored);
    b.notifications.listen((bodies) => received.b.push(...bodies), ignored);
    try {
      await eventually(async () => {
        for (const each of [a, b]) await each.notifications.send('hello');
        return received.a.length > 0 && received.b.length > 0;
      });
      await connection.withClient(async (client) => {
        await client.query('BEGIN');
        await client.query(`INSERT INTO bulletins (sender, body) VALUES ('slow', 'early')`);
        await a.notifications.send('own');
        await b.notifications.send('late');
        await eventually(() => received.a.includes('late') && received.b.includes('own'));
        expect(received.a).not.toContain('early');
        await client.query('COMMIT');
      });
      await eventually(() => received.a.includes('early') && received.b.includes('early'));
      await b.notifications.send('last');
      await eventually(() => received.a.includes('last'));
      const after = (words: string[]): string[] => words.filter((word) => word !== 'hello');
      expect(after(received.a)).toEqual(['late', 'early', 'last']);
      expect(after(received.b)).toEqual(['own', 'early']);
    } finally {
      for (const each of [a, b, connection]) await each.close();
    }
  });
});

const openAt = (url: string): Promise<DatabaseStorage> => openDatabase({ url, clock: createFakeClock() });
const ignored = (): void => {};
