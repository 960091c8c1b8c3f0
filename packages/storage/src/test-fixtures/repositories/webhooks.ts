import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RunCommit } from '@toolyard/protocol';
import type { SharedStorage } from '../../storage.ts';
import { ANNE, approval, BERT, createCommit, newRun } from '../conversation.ts';
import type { TestStore, CreateTestStore } from './test-store.ts';

/** Webhook notifications, stored with their event. */
export function describeWebhooks(createStore: CreateTestStore): void {
  let home: TestStore;
  let storage: SharedStorage;

  beforeEach(async () => {
    home = await createStore();
    storage = await home.open();
    for (const [owner, id] of [
      [ANNE, 'c1'],
      [BERT, 'c2'],
    ] as const) {
      await storage.conversations.create(owner, { id, title: id, at: 1 });
      await storage.runs.createRun(owner, newRun(`run-${id}`, id));
    }
  });
  afterEach(async () => {
    await storage.close();
    await home.remove();
  });

  const webhook = (...events: string[]) => ({ url: 'https://hooks.example/', events, origin: 'settings' as const });
  const happens = async (runId: string, more: Partial<RunCommit>): Promise<void> => {
    expect(await storage.runs.commit([createCommit(runId, more)])).toMatchObject([{ outcome: 'committed' }]);
  };
  const opensInterrupt = (id: string): Partial<RunCommit> => ({
    interrupts: { opened: [{ interrupt: approval(id), mode: 'parked' }] },
  });
  const claimed = async (now = Number.MAX_SAFE_INTEGER - 1) =>
    (await storage.webhooks.claim(now, Number.MAX_SAFE_INTEGER, 9)).map(({ id }) => id).sort();

  describe('webhook notifications', () => {
    test('are stored once per event, for owners with a webhook', async () => {
      await storage.webhooks.put(ANNE, webhook('interrupt.opened', 'run.failed'), 1);
      await happens('run-c1', opensInterrupt('q1'));
      await happens('run-c1', opensInterrupt('q1'));
      await happens('run-c2', opensInterrupt('q2'));
      await happens('run-c1', { status: 'failed' });
      await happens('run-c2', { status: 'failed' });
      expect(await storage.webhooks.countPending(ANNE)).toBe(2);
      expect(await claimed()).toEqual(['interrupt.opened:q1', 'run.failed:run-c1']);
    });

    test('are not stored for unsubscribed events', async () => {
      await storage.webhooks.put(ANNE, webhook('run.failed'), 1);
      await happens('run-c1', opensInterrupt('q1'));
      await happens('run-c1', { status: 'done' });
      expect(await storage.webhooks.countPending(ANNE)).toBe(0);
    });

    test('are claimed by one process at a time, become due again, and are deleted after delivery', async () => {
      await storage.webhooks.put(ANNE, webhook('interrupt.opened'), 1);
      await happens('run-c1', opensInterrupt('q1'));
      const both = await Promise.all([storage.webhooks.claim(1e15, 2e15, 9), storage.webhooks.claim(1e15, 2e15, 9)]);
      expect(both.flat()).toMatchObject([
        { id: 'interrupt.opened:q1', runId: 'run-c1', interruptId: 'q1', attempts: 0 },
      ]);
      expect(await storage.webhooks.claim(1e15, 2e15, 9)).toEqual([]);
      await storage.webhooks.postpone('interrupt.opened:q1', 5);
      expect(await storage.webhooks.claim(4, 2e15, 9)).toEqual([]);
      expect(await storage.webhooks.claim(5, 2e15, 9)).toMatchObject([{ attempts: 1 }]);
      await storage.webhooks.complete('interrupt.opened:q1');
      expect(await claimed()).toEqual([]);
    });

    test('by e-mail are stored beside those of the webhook, and deleted with the subscription', async () => {
      await storage.webhooks.put(ANNE, webhook('interrupt.opened'), 1);
      await storage.webhooks.setEmailEvents(ANNE, ['interrupt.opened', 'run.failed']);
      await happens('run-c1', opensInterrupt('q1'));
      await happens('run-c2', opensInterrupt('q2'));
      await happens('run-c1', { status: 'failed' });
      expect(await storage.webhooks.countPending(ANNE)).toBe(1);
      const all = await storage.webhooks.claim(1e15, 2e15, 9);
      expect(all.map(({ id, channel }) => [id, channel]).toSorted()).toEqual([
        ['email:interrupt.opened:q1', 'email'],
        ['email:run.failed:run-c1', 'email'],
        ['interrupt.opened:q1', 'webhook'],
      ]);
      await storage.webhooks.setEmailEvents(ANNE, null);
      expect(await storage.webhooks.claim(3e15, 4e15, 9)).toMatchObject([{ id: 'interrupt.opened:q1' }]);
    });

    test('are deleted with the webhook', async () => {
      await storage.webhooks.put(ANNE, webhook('interrupt.opened'), 1);
      await happens('run-c1', opensInterrupt('q1'));
      expect(await storage.webhooks.remove(ANNE)).toBe(true);
      expect(await storage.webhooks.countPending(ANNE)).toBe(0);
      expect(await storage.webhooks.remove(ANNE)).toBe(false);
    });
  });

  test('the ledger records whether the user edited the arguments of a call', async () => {
    const tool = { serverId: 'files', name: 'delete' };
    await happens('run-c1', {
      ledger: [
        { change: 'plan', callId: 'a', tool, arguments: {} },
        { change: 'plan', callId: 'b', tool, arguments: { x: 1 }, edited: true },
      ],
    });
    const [one, other] = (await storage.runs.readLedger(ANNE, 'run-c1')) ?? [];
    expect(one).not.toHaveProperty('edited');
    expect(other).toMatchObject({ arguments: { x: 1 }, edited: true });
  });

  test('events without deltas are the complete ones, in pages', async () => {
    const at = { v: 1 as const, runId: 'run-c1', step: 0, attempt: 1, at: 1 };
    await happens('run-c1', {
      events: [
        { ...at, seq: 1, type: 'step_started', instruction: 'call_llm' },
        { ...at, seq: 2, type: 'text_delta', messageId: 'm', text: 'a' },
        { ...at, seq: 3, type: 'run_parked' },
      ],
    });
    const seqs = async (after: number, limit: number) =>
      (await storage.runs.readWholeEvents(ANNE, 'run-c1', after, limit))?.map(({ seq }) => seq);
    expect([await seqs(0, 9), await seqs(0, 1), await seqs(1, 9)]).toEqual([[1, 3], [1], [3]]);
    expect(await storage.runs.readWholeEvents(BERT, 'run-c1', 0, 9)).toBeNull();
  });

  test('open interrupts are counted per owner', async () => {
    await happens('run-c1', opensInterrupt('q1'));
    await happens('run-c2', opensInterrupt('q2'));
    await storage.runs.answerInterrupt(BERT, 'q2', { decision: 'refuse' }, 1);
    expect([await storage.runs.countInterrupts(ANNE), await storage.runs.countInterrupts(BERT)]).toEqual([1, 0]);
  });
}
