import { describe, expect, test } from 'vitest';
import type { LedgerStatus } from '@toolyard/protocol';
import { ANNE, createCommit } from '../conversation.ts';
import type { ConformanceBench } from './setup.ts';

/** Only allowed transitions, and no call sent twice silently. */
export function describeLedger(bench: ConformanceBench): void {
  describe('tool ledger', () => {
    const plan = {
      change: 'plan',
      callId: 'k1',
      tool: { serverId: 'files', name: 'delete' },
      arguments: { path: '/x' },
    } as const;
    const move = (from: LedgerStatus, to: LedgerStatus) => ({ change: 'move', callId: 'k1', from, to }) as const;
    const status = async (): Promise<LedgerStatus | undefined> =>
      (await bench.store.readLedger(ANNE, 'r1'))?.[0]?.status;

    test('plans, sends and completes a call, and stores its result', async () => {
      await bench.startRun('r1');
      await bench.commit(createCommit('r1', { ledger: [plan] }));
      await bench.commit(createCommit('r1', { ledger: [plan] }));
      await bench.commit(createCommit('r1', { ledger: [{ ...move('planned', 'sent'), detail: { task: 't1' } }] }));
      await bench.commit(createCommit('r1', { ledger: [move('sent', 'done')] }));
      expect(await bench.store.readLedger(ANNE, 'r1')).toMatchObject([
        { callId: 'k1', tool: plan.tool, arguments: plan.arguments, status: 'done', detail: { task: 't1' } },
      ]);
    });

    test('stores the task handle of a call that was sent, once it is known', async () => {
      await bench.startRun('r1');
      await bench.commit(createCommit('r1', { ledger: [plan, move('planned', 'sent')] }));
      const task = { tool: plan.tool, taskId: 't1', era: 'modern' };
      await bench.commit(createCommit('r1', { ledger: [{ ...move('sent', 'sent'), detail: { task } }] }));
      expect(await bench.store.readLedger(ANNE, 'r1')).toMatchObject([{ status: 'sent', detail: { task } }]);
    });

    test('never plans or sends a call again silently', async () => {
      await bench.startRun('r1');
      await bench.commit(createCommit('r1', { ledger: [plan, move('planned', 'sent')] }));
      expect(await bench.commit(createCommit('r1', { ledger: [plan] }))).toMatchObject({ outcome: 'invalid' });
      expect(await bench.commit(createCommit('r1', { ledger: [move('planned', 'sent')] }))).toMatchObject({
        outcome: 'invalid',
      });
      expect(await status()).toBe('sent');
    });

    test('accepts only the allowed transitions between any two statuses', async () => {
      const legal: Record<LedgerStatus, LedgerStatus[]> = {
        planned: ['sent', 'failed', 'cancelled'],
        sent: ['sent', 'planned', 'done', 'failed', 'in_doubt', 'cancelled'],
        in_doubt: ['planned', 'done', 'failed', 'cancelled'],
        done: [],
        failed: [],
        cancelled: [],
      };
      const pathTo: Record<LedgerStatus, LedgerStatus[]> = {
        planned: ['planned'],
        sent: ['planned', 'sent'],
        in_doubt: ['planned', 'sent', 'in_doubt'],
        done: ['planned', 'sent', 'done'],
        failed: ['planned', 'sent', 'failed'],
        cancelled: ['planned', 'sent', 'cancelled'],
      };
      const all = Object.keys(legal) as LedgerStatus[];
      for (const from of all) {
        for (const to of all) {
          const runId = `r-${from}-${to}`;
          await bench.startRun(runId);
          const path = pathTo[from];
          const moves = path.slice(1).map((next, index) => move(path[index] ?? 'planned', next));
          expect(await bench.commit(createCommit(runId, { ledger: [plan, ...moves] }))).toMatchObject({
            outcome: 'committed',
          });
          const { outcome } = await bench.commit(createCommit(runId, { ledger: [move(from, to)] }));
          expect([from, to, outcome]).toEqual([from, to, legal[from].includes(to) ? 'committed' : 'invalid']);
        }
      }
    });
  });
}
