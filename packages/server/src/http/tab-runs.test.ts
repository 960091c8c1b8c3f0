import type { LeasedTabRun } from '@toolyard/protocol';
import { TAB_RUNS_VERSION as v } from '@toolyard/protocol';
import { beforeEach, describe, expect, test } from 'vitest';
import { answerId, event, message, useTabScene } from './test-fixtures/tab-runs.ts';
import * as door from './test-fixtures/test-server.ts';
import type { TestResponse } from './test-fixtures/test-server.ts';

const { scene, post, begin, renew, commit, state } = useTabScene();

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
  const leaseOf = (id: string) => scene.database.prepare('SELECT lease_until FROM runs WHERE id = ?').get(id);
  const SHORT = { lease_until: 7 };
  beforeEach(() => void scene.database.exec('UPDATE runs SET lease_until = 7'));

  test('a lease is renewed only for the run that the tab names', async () => {
    await begin('tab-1', 'r2', 'other');
    scene.database.exec('UPDATE runs SET lease_until = 7');
    expect((await renew('tab-1', scene.held.fence)).status).toBe(200);
    expect(leaseOf('r')).not.toEqual(SHORT);
    expect(leaseOf('r2')).toEqual(SHORT);
  });

  test('a lease is not renewed without holding it', async () => {
    expect((await renew('tab-2', scene.held.fence)).status).toBe(409);
    expect((await renew('tab-1', scene.held.fence + 1)).status).toBe(409);
    expect((await renew('tab-1', scene.held.fence, 'r', door.BERT)).status).toBe(404);
    expect(leaseOf('r')).toEqual(SHORT);
  });
});
