import { initialState } from '@toolyard/agent-runtime';
import { McpHost } from '@toolyard/mcp-host';
import { DEFAULT_LIMITS, ToolyardError } from '@toolyard/protocol';
import type { CommitFromTab, LeasedTabRun, RunEvent } from '@toolyard/protocol';
import { createFakeClock } from '@toolyard/testing';
import { expect, test } from 'vitest';
import { createTestApi } from '../api/test-api.ts';
import { TabRun } from './tab-run.ts';

const held: LeasedTabRun = {
  run: {
    id: 'r',
    ownerId: 'anne',
    conversationId: 'c',
    agentId: null,
    parentRunId: null,
    place: 'browser',
    status: 'running',
    lastSeq: 0,
    createdAt: 0,
    updatedAt: 0,
    endedAt: null,
  },
  message: null,
  fence: 1,
  attempt: 1,
  state: {
    point: {
      state: initialState({ runId: 'r', conversationId: 'c', startedAt: 0, limits: DEFAULT_LIMITS }),
      context: { phase: 'user_input' },
    },
    leafId: 'q',
    shownId: 'q',
  },
  configuration: {
    model: { providerId: 'p', modelId: 'm' },
    instructions: '',
    parameters: {},
    limits: DEFAULT_LIMITS,
    toolMode: 'native',
    servers: {},
    disabledTools: [],
    intervention: 'manual',
    interventionRules: [],
    budgets: [],
  },
  model: { providerId: 'p', modelId: 'm' },
  abilities: {},
  messages: [{ id: 'q', parentId: null, createdAt: 0, role: 'user', parts: [{ type: 'text', text: 'Hello' }] }],
  ledger: [],
  inbox: { stops: false, cancels: [], answers: [], steers: [], permissions: [], spent: {} },
};

test('fails with the reason if its tools cannot be loaded, since no other tab could do better', async () => {
  const clock = createFakeClock();
  const committed: RunEvent[] = [];
  let status: unknown;
  await using host = new McpHost({
    servers: [],
    // The function tools of the tab are served here: simulates a module that could not be loaded.
    createTransport: () => {
      throw new ToolyardError({ code: 'server_unreachable', message: 'The tools cannot be loaded.' });
    },
    clock,
    clientInfo: { name: 'test', version: '1' },
  });
  const run = new TabRun(held, {
    api: createTestApi(({ path, body }) => {
      if (!path.endsWith('/commit')) return held.inbox;
      const commit = body as unknown as CommitFromTab;
      committed.push(...commit.events);
      status = commit.status ?? status;
      return { lastSeq: commit.baseSeq + commit.events.length };
    }),
    tabId: 't',
    host,
    idsOn: () => new Set(),
    fetch: () => expect.fail('the model is not asked'),
    clock,
  });
  expect(await run.result).toBe('ended');
  expect(status).toBe('failed');
  expect(committed.at(-1)).toMatchObject({
    type: 'run_finished',
    status: 'failed',
    error: { code: 'server_unreachable', message: 'The tools cannot be loaded.' },
  });
});
