import type { LeasedTabRun } from '@toolyard/protocol';
import { TAB_RUNS_VERSION as v } from '@toolyard/protocol';
import { beforeEach, describe, expect, test } from 'vitest';
import { ANNE } from '../../runs/test-fixtures/setup.ts';
import { answerId, APPROVAL, calling, event, message, useTabScene } from '../test-fixtures/tab-runs.ts';
import * as testServer from '../test-fixtures/test-server.ts';
import type { TestResponse } from '../test-fixtures/test-server.ts';

const { scene, post, begin, renew, offer, commit, state } = useTabScene();

describe('a beginning', () => {
  const end = async (): Promise<void> => {
    const ended = { events: [event({ type: 'run_finished', status: 'done', usage: {} })], status: 'done' };
    expect((await commit({ ...ended, ...message({}), state: state({ status: 'done' }) })).status).toBe(200);
  };
  const regenerate = (id: string, messageId: string): Promise<TestResponse> =>
    post('/api/tabs/tab-1/runs', { v, conversationId: 'c', id, regenerates: messageId });

  test('regenerates an answer on another branch', async () => {
    await end();
    const regenerated = await regenerate('r2', answerId);
    expect(regenerated).toMatchObject({
      status: 201,
      json: { run: { id: 'r2', place: 'browser' }, message: { id: 'r' } },
    });
    const answers = (await scene.bench.all('c')).filter(({ role }) => role === 'assistant');
    expect(answers.map(({ id, parentId }) => [id, parentId])).toEqual([
      [answerId, 'r'],
      ['r2.0', 'r'],
    ]);
  });

  test('regenerates only what can be regenerated', async () => {
    await end();
    expect((await regenerate('r2', 'r')).status).toBe(400);
    expect((await regenerate('r3', 'nowhere')).status).toBe(404);
  });

  test('that is sent again returns the run it started', async () => {
    await end();
    const [first, second] = [await regenerate('r2', answerId), await regenerate('r2', answerId)];
    expect([first.status, second.status]).toEqual([201, 201]);
    const fences = [first, second].map(({ json }) => (json as unknown as LeasedTabRun).fence);
    expect(fences[1]).toBeGreaterThan(fences[0] ?? 0);
    expect(new Set((await scene.bench.all('c')).map(({ id }) => id))).toEqual(new Set(['r', answerId, 'r2.0']));
  });
});

describe('a lease', () => {
  const readLease = (id: string) => scene.database.prepare('SELECT lease_until FROM runs WHERE id = ?').get(id);
  const SHORT = { lease_until: 7 };
  beforeEach(() => void scene.database.exec('UPDATE runs SET lease_until = 7'));

  test('a lease is renewed only for the run that the tab names', async () => {
    await begin('tab-1', 'r2', 'other');
    scene.database.exec('UPDATE runs SET lease_until = 7');
    expect((await renew('tab-1', scene.held.fence)).status).toBe(200);
    expect(readLease('r')).not.toEqual(SHORT);
    expect(readLease('r2')).toEqual(SHORT);
  });

  test('a lease is not renewed without holding it', async () => {
    expect((await renew('tab-2', scene.held.fence)).status).toBe(409);
    expect((await renew('tab-1', scene.held.fence + 1)).status).toBe(409);
    expect((await renew('tab-1', scene.held.fence, 'r', testServer.BERT)).status).toBe(404);
    expect(readLease('r')).toEqual(SHORT);
  });
});

describe('a request of a run in a tab', () => {
  const approval = { ...APPROVAL, id: 'r.0.0.approval' };
  const asks = (change: object = {}): object => {
    const interrupt = { ...approval, ...change };
    return {
      ...calling(),
      events: [event({ type: 'interrupt_requested', interrupt })],
      interrupts: { opened: [{ interrupt, mode: 'parked' }] },
      status: 'parked',
      state: state({ status: 'parked' }),
    };
  };
  const stored = () => scene.bench.storage.runs.listInterrupts(ANNE, { limit: 9 });

  test('is stored if the tab offers the tool, and does not say who asks if it is the user', async () => {
    await offer();
    expect((await commit(asks({ askedBy: { kind: 'key', name: 'forged' } }))).status).toBe(200);
    expect(stored()).toMatchObject([{ interrupt: approval }]);
    expect(stored()[0]?.interrupt).not.toHaveProperty('askedBy');
  });

  test('is rejected if the tab does not offer the tool, as part of an event too', async () => {
    expect((await commit(asks())).status).toBe(400);
    const shown = event({ type: 'interrupt_requested', interrupt: approval });
    expect((await commit({ ...calling(), events: [shown] })).status).toBe(400);
    const other = { ...approval, tool: { serverId: 'mail', name: 'send' }, name: 'send' };
    expect((await commit({ ...calling(), interrupts: { opened: [{ interrupt: other, mode: 'live' }] } })).status).toBe(
      400,
    );
    expect(stored()).toEqual([]);
  });

  test('says which key asks', async () => {
    await offer();
    const { bench, held } = scene;
    const starter = { startedBy: 'key:k', name: 'nightly' };
    const { v: _v, ...sent } = { v, fence: held.fence, number: 1, baseSeq: 0, events: [], ...asks() };
    await bench.runs.commitFromTab(ANNE, 'r', sent, { tabId: 'tab-1', starter });
    const askedBy = { kind: 'key', name: 'nightly' };
    expect(stored()).toMatchObject([{ interrupt: { ...approval, askedBy } }]);
    expect(bench.events('r')).toMatchObject([{ type: 'interrupt_requested', interrupt: { askedBy } }]);
  });
});
