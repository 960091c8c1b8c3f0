import { expect, it } from 'vitest';
import type { RunEvent, RunSummary } from '@toolyard/protocol';
import { createTestApi, type TestCall } from '../../api/test-fixtures/test-api.ts';
import { RunList } from './run-list.svelte.ts';
import { toNodes } from './run-tree.ts';

function run(id: string, createdAt: number, more: Partial<RunSummary> = {}): RunSummary {
  return {
    id,
    ownerId: 'local',
    conversationId: `c-${id}`,
    agentId: null,
    parentRunId: null,
    place: 'server',
    status: 'done',
    lastSeq: 1,
    createdAt,
    updatedAt: createdAt,
    endedAt: createdAt,
    origin: 'chat',
    title: id,
    asks: 0,
    spent: { dollars: 0, tokens: 0, calls: 0, unpriced: 0 },
    ...more,
  };
}

function listOver(answer: (call: TestCall) => unknown) {
  const calls: string[] = [];
  const listeners: ((event: RunEvent) => void)[] = [];
  const api = createTestApi((call) => {
    calls.push(`${call.method} ${call.path}`);
    return answer(call);
  });
  const live = {
    status: 'connecting' as const,
    onHello: () => () => undefined,
    onChanged: () => () => undefined,
    onRun: (listener: (event: RunEvent) => void) => (listeners.push(listener), () => undefined),
  };
  const list = new RunList({ api, live });
  return {
    list,
    calls,
    send: (type: 'run_started' | 'text_delta') => listeners.forEach((l) => l({ type } as RunEvent)),
  };
}

const NO_FILTERS = { state: '', agent: '', origin: '', words: '' } as const;
const ids = (list: RunList) => list.items.map(({ id }) => id);

it('keeps further pages when a new run appears on the first', async () => {
  let newest = [run('r3', 3), run('r2', 2)];
  const { list, calls, send } = listOver(({ path }) =>
    path.includes('after=') ? { items: [run('r1', 1)] } : { items: newest, next: '2.r2' },
  );
  await list.filter({ ...NO_FILTERS, state: 'failed' });
  await list.loadMore();
  expect(ids(list)).toEqual(['r3', 'r2', 'r1']);
  expect(calls).toEqual(['GET /api/runs?status=failed&limit=50', 'GET /api/runs?status=failed&limit=50&after=2.r2']);
  const leave = list.follow();
  send('text_delta');
  newest = [run('r4', 4), run('r3', 3, { status: 'running' }), run('r2', 2)];
  send('run_started');
  await expect.poll(() => ids(list)).toEqual(['r4', 'r3', 'r2', 'r1']);
  expect(list.items[1]?.status).toBe('running');
  expect(calls).toHaveLength(3);
  expect(list.hasMore).toBe(false);
  leave();
});

it('shows nothing of other filters while the runs of new ones load', async () => {
  const { list } = listOver(() => ({ items: [run('r1', 1)] }));
  await list.filter(NO_FILTERS);
  const loading = list.filter({ ...NO_FILTERS, words: 'tea' });
  expect([list.known, list.items]).toEqual([false, []]);
  await loading;
  expect(ids(list)).toEqual(['r1']);
});

it('nests the runs of a tree below their parents', () => {
  const runs = [run('r', 1), run('r.1', 2, { parentRunId: 'r' }), run('r.1.1', 3, { parentRunId: 'r.1' })];
  const [root] = toNodes(runs, ({ title }) => title);
  expect(root).toMatchObject({ key: 'r', children: [{ key: 'r.1', children: [{ key: 'r.1.1', children: [] }] }] });
});
