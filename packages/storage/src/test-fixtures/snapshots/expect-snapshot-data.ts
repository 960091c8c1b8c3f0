import { expect } from 'vitest';
import type { SharedStorage } from '../../storage.ts';
import { ANNE, BERT } from '../conversation.ts';

/** Expects all data that `fill` stored, and that runs continue. */
export async function expectSnapshotData(storage: SharedStorage): Promise<void> {
  expect(await storage.check()).toEqual({ ok: true });
  expect((await storage.conversations.list(ANNE, { limit: 9 })).map(({ id, title }) => [id, title])).toEqual([
    ['c1', 'Uhren 時計'],
  ]);
  expect((await storage.messages.branch(ANNE, 'c1')).map(({ id }) => id)).toEqual(['r1.question', 'a0']);
  expect(await storage.messages.branch(BERT, 'b1', 'q1')).toMatchObject([{ id: 'q1' }]);
  expect(await storage.runs.readEvents(ANNE, 'r1', 0, 9_999)).toHaveLength(1_201);
  expect(await storage.runs.readLedger(ANNE, 'r1')).toMatchObject([{ callId: 'k1', arguments: { a: '秘密' } }]);
  expect(await storage.agents.list(ANNE)).toMatchObject([{ id: 'g', configuration: { b: 1, a: 2 } }]);
  expect(await storage.settings.get(ANNE, 'theme')).toEqual({ dark: true, z: 1, a: 2 });
  expect(await storage.permissions.list(ANNE)).toEqual([
    { tool: { serverId: 's', name: 't' }, conversationId: null, decision: 'allow', at: 1 },
  ]);
  const [interrupt] = await storage.runs.listInterrupts(ANNE, { status: 'open', limit: 9 });
  expect(interrupt).toMatchObject({ interrupt: { id: 'i1', kind: 'approval' } });
  const answered = await storage.runs.answerInterrupt(ANNE, 'i1', { decision: 'approve', scope: 'once' }, 9);
  expect(answered).toMatchObject({ outcome: 'answered' });
  const lease = await storage.runs.acquireLease('r1', { owner: 'later', ms: 60_000 });
  expect(lease).toMatchObject({ lastSeq: 1_201, state: { step: 1 } });
  const inbox = await storage.runs.readInbox('r1', lease?.fence ?? 0);
  expect(inbox?.map(({ kind }) => kind)).toEqual(['cancel', 'answer']);
}
