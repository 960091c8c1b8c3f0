import { expect, test } from 'vitest';
import type { Fetch, RunSummary, RunTree } from '@toolyard/protocol';
import { createMemoryIo } from '../test-fixtures/memory-io.ts';
import { listRuns, showRun } from './runs.ts';
import { serverClient } from './server-client.ts';

const RUN: RunSummary = {
  id: 'r1',
  ownerId: 'local',
  conversationId: 'c1',
  agentId: null,
  parentRunId: null,
  place: 'server',
  status: 'parked',
  lastSeq: 7,
  createdAt: 0,
  updatedAt: 0,
  endedAt: null,
  origin: 'schedule',
  title: 'Report',
  asks: 1,
  spent: { dollars: 0.5, tokens: 30, calls: 2, unpriced: 0 },
};
const CHILD: RunSummary = {
  ...RUN,
  id: 'r1.0.0.task.0',
  conversationId: 'r1.0.0.task.0',
  parentRunId: 'r1',
  status: 'done',
  origin: 'sub_agent',
  title: 'Look\u001B[2J around',
  asks: 0,
};
const TREE: RunTree = { items: [RUN, CHILD], spent: { dollars: 0.75, tokens: 44, calls: 3, unpriced: 1 } };

test('runs show prints the tree of a run with its usage, without control characters', async () => {
  const io = createMemoryIo();
  const fetch: Fetch = (input) => Promise.resolve(Response.json(String(input).endsWith('/tree') ? TREE : RUN));
  await showRun(io, serverClient({ server: 'http://127.0.0.1:1' }, io, fetch), 'r1.0.0.task.0', {});
  expect(io.stdout.text.split('\n').slice(-5, -1)).toEqual([
    'usage         30 tokens, $0.5000',
    'tree          2 runs, 44 tokens, at least $0.7500',
    '  parked, waits for you  Report  r1',
    '>   done       Look[2J around  r1.0.0.task.0',
  ]);
});

test('runs list sends its filters, and prints status, origin and conversation', async () => {
  const io = createMemoryIo();
  let asked = '';
  const fetch: Fetch = (input) => {
    asked = new URL(String(input)).search;
    return Promise.resolve(Response.json({ items: [RUN] }));
  };
  const options = { limit: '5', origin: 'schedule' as const, waiting: true, search: 'morning report' };
  await listRuns(io, serverClient({ server: 'http://127.0.0.1:1' }, io, fetch), options);
  expect(asked).toBe('?limit=5&origin=schedule&asks=1&q=morning+report');
  expect(io.stdout.text).toBe('r1  1970-01-01 00:00:00  parked, waits for you  schedule  c1  Report\n');
});
