import { expect, test } from 'vitest';
import { createFakeClock } from '@toolyard/testing';
import { describeOnPostgres } from '@toolyard/testing/on-postgres';
import { ANNE, commitOf, deltas, newRun } from '../test-fixtures/conversation.ts';
import { openDatabase } from './open-database.ts';

describeOnPostgres('what other processes wrote', (cluster) => {
  test('is read on in many runs at once, by their owner, as far as there is room', async () => {
    const storage = await openDatabase({ url: await cluster().createDatabase(), clock: createFakeClock() });
    try {
      const { ownerId } = ANNE;
      for (const [index, runId] of ['r1', 'r2', 'r3'].entries()) {
        const conversationId = `c${String(index)}`;
        await storage.conversations.create(ANNE, { id: conversationId, title: '', at: 1 });
        await storage.runs.createRun(ANNE, newRun(runId, conversationId));
        await storage.runs.commit([commitOf(runId, { events: deltas(runId, 0, 3) })]);
      }
      const read = async (limit: number): Promise<string[]> => {
        const runs = [
          { ownerId, runId: 'r1', afterSeq: 1 },
          { ownerId, runId: 'r2', afterSeq: 3 },
          { ownerId: 'bert', runId: 'r3', afterSeq: 0 },
          { ownerId, runId: 'nowhere', afterSeq: 0 },
        ];
        return (await storage.bulletins.readOn(runs, limit)).map(({ runId, seq }) => `${runId} ${String(seq)}`);
      };
      expect(await read(100)).toEqual(['r1 2', 'r1 3']);
      expect(await read(1)).toEqual(['r1 2']);
      const [event] = await storage.bulletins.readOn([{ ownerId, runId: 'r1', afterSeq: 0 }], 1);
      expect(event).toEqual((await storage.runs.readEvents(ANNE, 'r1', 0, 1))?.[0]);
    } finally {
      await storage.close();
    }
  });
});
