import { initialState } from '@toolyard/agent-runtime';
import { McpHost } from '@toolyard/mcp-host';
import type { StoredRun } from '@toolyard/agent-host/durable';
import { DEFAULT_LIMITS } from '@toolyard/protocol';
import type {
  CommitFromTab,
  LeasedTabRun,
  LedgerEntry,
  Message,
  RunEvent,
  TabRunTools,
  ToolResult,
} from '@toolyard/protocol';
import { createFakeClock } from '@toolyard/testing';
import { expect, test } from 'vitest';
import { ApiError } from '../../api/error.ts';
import { createTestApi } from '../../api/test-fixtures/test-api.ts';
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

const CALL_ID = 'r.0.0';
const TOOL = { serverId: 'mail', name: 'send' };
const CALL = { callId: CALL_ID, name: 'send', tool: TOOL, arguments: { to: 'anne' } };
const RESULT: ToolResult = { content: [{ type: 'text', text: 'sent' }], isError: false, outcome: 'done' };

/** A run whose model has called a tool of the server. `ledger`: what an earlier tab has stored of the call. */
function withCall(ledger: LedgerEntry[] = []): LeasedTabRun {
  const { point, ...ids } = held.state as unknown as StoredRun;
  const state = { ...point.state, pending: [{ ...CALL, decision: 'undecided' }] };
  const answer: Message = {
    id: 'r.0',
    parentId: 'q',
    createdAt: 0,
    role: 'assistant',
    runId: 'r',
    model: 'm',
    finishReason: 'tool_calls',
    parts: [{ type: 'tool_call', ...CALL }],
  };
  return {
    ...held,
    state: { ...ids, leafId: 'r.0', shownId: 'r.0', point: { state, context: { phase: 'human_response' } } },
    messages: [...held.messages, answer],
    ledger,
  };
}

type Server = {
  tools?: () => TabRunTools;
  makes?: () => ToolResult | null;
};

/** Executes a run in a tab of this server until it ends or parks; what it has committed, and what it has asked for. */
async function execute(run: LeasedTabRun, { tools = () => listing('run'), makes = () => RESULT }: Server = {}) {
  const clock = createFakeClock();
  const commits: CommitFromTab[] = [];
  const asked: string[] = [];
  await using host = new McpHost({
    servers: [],
    createTransport: () => expect.fail('no server of the browser'),
    clock,
    clientInfo: { name: 'test', version: '1' },
  });
  const api = createTestApi(({ path, body }) => {
    asked.push(path.slice(path.lastIndexOf('/') + 1));
    if (path.endsWith('/tools')) return tools();
    if (path.includes('/tool-calls/')) return { result: makes() };
    if (!path.endsWith('/commit')) return held.inbox;
    const commit = body as unknown as CommitFromTab;
    commits.push(commit);
    return { lastSeq: commit.baseSeq + commit.events.length };
  });
  const executed = new TabRun(run, {
    api,
    tabId: 't',
    host,
    idsOn: () => new Set(),
    fetch: () => Promise.reject(new TypeError('There is no model.')),
    port: undefined,
    clock,
  });
  const end = await executed.result;
  const events = commits.flatMap((commit) => commit.events);
  return { end, commits, asked, events, find: (type: RunEvent['type']) => events.find((each) => each.type === type) };
}

function listing(decision: 'run' | 'ask'): TabRunTools {
  const verdict = decision === 'run' ? { decision } : { decision, about: { definition: 'd1', diff: '+ a line' } };
  const tool = { tool: TOOL, name: 'send', inputSchema: { type: 'object' }, builtIn: false };
  return { version: 'v', listed: { tools: [tool], serverInstructions: [] }, verdicts: [verdict] };
}

test('fails with the reason if the server does not list its tools, since no other tab could do better', async () => {
  const message = 'No process can use the tools.';
  const throwRefused = (): never => {
    throw new ApiError({ status: 400, code: 'bad_request', detail: message });
  };
  const { end, find, commits } = await execute(held, { tools: throwRefused });
  expect(end).toBe('ended');
  expect(commits.at(-1)?.status).toBe('failed');
  expect(find('run_finished')).toMatchObject({ status: 'failed', error: { code: 'bad_request', message } });
});

test('calls a tool of the server through the server, which counts the call', async () => {
  const { find, commits, asked } = await execute(withCall());
  expect(find('tool_finished')).toMatchObject({ callId: CALL_ID, result: RESULT });
  expect(asked.filter((path) => path === CALL_ID)).toHaveLength(1);
  // Stored as sent before the server is asked to make it.
  const ledger = commits.slice(0, asked.indexOf(CALL_ID)).flatMap((commit) => commit.ledger ?? []);
  expect(ledger).toContainEqual({ change: 'plan', callId: CALL_ID, tool: TOOL, arguments: CALL.arguments });
  expect(ledger).toContainEqual(expect.objectContaining({ to: 'sent', detail: { task: TASK } }));
  expect(commits.flatMap(({ usage = [] }) => usage)).toEqual([]);
});

const TASK = { tool: TOOL, taskId: CALL_ID, era: 'server' };

test('asks the user as the server says, and calls nothing before the answer', async () => {
  const { end, find, asked } = await execute(withCall(), { tools: () => listing('ask') });
  expect(end).toBe('parked');
  expect(find('interrupt_requested')).toMatchObject({
    interrupt: { kind: 'approval', ...CALL, definition: 'd1', diff: '+ a line' },
  });
  expect(asked).not.toContain(CALL_ID);
});

test('waits for a call that an earlier tab has sent', async () => {
  const entry = { callId: CALL_ID, runId: 'r', tool: TOOL, arguments: CALL.arguments, updatedAt: 1 };
  const results = [null, RESULT];
  const { find, asked } = await execute(withCall([{ ...entry, status: 'sent', detail: { task: TASK } }]), {
    makes: () => results.shift() ?? null,
  });
  expect(find('tool_finished')).toMatchObject({ result: RESULT });
  expect(asked.filter((path) => path === CALL_ID)).toHaveLength(2);
});

test('asks about a call whose process on the server is gone', async () => {
  const error = { code: 'process_gone', message: 'gone' } as const;
  const gone: ToolResult = { content: [], isError: true, outcome: 'unknown', error };
  const { end, find } = await execute(withCall(), { makes: () => gone });
  expect(end).toBe('parked');
  expect(find('interrupt_requested')).toMatchObject({ interrupt: { kind: 'in_doubt', ...CALL } });
});
