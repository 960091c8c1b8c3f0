import { expect, test } from 'vitest';
import type { Fetch, RunRecord, SubAgentView } from '@toolyard/protocol';
import { createMemoryIo } from '../test-fixtures/memory-io.ts';
import { showRun } from './runs.ts';
import { serverClient } from './server-client.ts';

const RUN: RunRecord = {
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
};

const CHILD: SubAgentView = {
  runId: 'r1.0.0.task.0',
  conversationId: 'r1.0.0.task.0',
  callId: 'r1.0.0',
  title: 'Look\u001B[2J around',
  agentId: null,
  status: 'done',
  createdAt: 0,
  endedAt: 1,
  asks: 0,
};

test('runs show lists the sub-agents of a run as indented lines, without control characters', async () => {
  const io = createMemoryIo();
  const fetch: Fetch = (input) =>
    Promise.resolve(Response.json(String(input).endsWith('/children') ? { items: [CHILD] } : RUN));
  await showRun(io, serverClient({ server: 'http://127.0.0.1:1' }, io, fetch), 'r1', {});
  expect(io.stdout.text.split('\n').slice(-3, -1)).toEqual([
    'sub-agents',
    '  done       Look[2J around  r1.0.0.task.0',
  ]);
});
