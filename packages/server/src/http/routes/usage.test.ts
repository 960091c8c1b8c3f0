import type { Budget, LeasedRun, RunLocation, Owner, RunCommit, UsageReport } from '@toolyard/protocol';
import type { ModelServer } from '@toolyard/testing';
import { eventually, reply } from '@toolyard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ModelsScene } from '../../models/test-fixtures/models-scene.ts';
import { setModelsScene } from '../../models/test-fixtures/models-scene.ts';
import { askAsDescribed } from '../test-fixtures/documented.ts';
import type { TestResponse, TestServer } from '../test-fixtures/test-server.ts';
import { ANNE, as, BERT, startTestServer } from '../test-fixtures/test-server.ts';
import { OWNER } from '../types.ts';

let scene: ModelsScene;
let upstream: ModelServer;
let server: TestServer;

beforeEach(async () => {
  scene = await setModelsScene();
  const models = await scene.models({
    statedModels: { 'p/dear': { price: { inputPerMillion: 1_000_000, outputPerMillion: 1_000_000 } } },
  });
  upstream = await scene.server(() => reply.text('Hi.', { usage: { prompt_tokens: 2, completion_tokens: 1 } }));
  await models.create(OWNER, { id: 'p', label: 'P', baseUrl: upstream.url });
  server = await startTestServer({ change: { models } });
});
afterEach(async () => {
  await server.close();
  await scene.end();
});

const get = (target: string): Promise<TestResponse> => askAsDescribed(server, target, {});
const chat = (model: string): Promise<TestResponse> =>
  server.ask('/webapi/chat/p', {
    json: { model, messages: [{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }] },
  });
const setDefaults = (budgets: unknown): Promise<TestResponse> =>
  server.ask('/api/settings/defaults', { method: 'PUT', json: { budgets } });
const report = async (query = ''): Promise<UsageReport> => (await get(`/api/usage${query}`)).json as never;
const counted = (calls: number): Promise<boolean> =>
  eventually(async () => (await report()).total.modelCalls === calls, { what: `${calls} counted calls` });

describe('rejects a budget of zero and changes nothing', () => {
  const ZEROS = [
    { of: 'run', dollars: 0 },
    { of: 'day', tokens: 0 },
    { of: 'conversation', calls: -1 },
    { of: 'day', tokens: 5, dollars: 0 },
  ];
  const REQUESTS: [string, string, string, (configuration: object) => object][] = [
    ['the settings', 'PUT', '/api/settings/defaults', (configuration) => configuration],
    ['a new conversation', 'POST', '/api/conversations', (configuration) => ({ id: 'new', configuration })],
    ['a conversation', 'PATCH', '/api/conversations/there', (configuration) => ({ configuration })],
    ['a new agent', 'POST', '/api/agents', (configuration) => ({ title: 'A', configuration })],
    [
      'a message',
      'POST',
      '/api/conversations/there/messages',
      (configuration) => ({ parts: [{ type: 'text', text: 'hi' }], configuration }),
    ],
  ];

  test.each(REQUESTS)('in %s', async (_what, method, path, body) => {
    await server.ask('/api/conversations', { json: { id: 'there' } });
    const everything = async (): Promise<unknown> =>
      Promise.all(
        ['/api/settings', '/api/conversations', '/api/agents', '/api/runs'].map(async (list) => (await get(list)).json),
      );
    const before = await everything();
    for (const budget of ZEROS) {
      const answer = await server.ask(path, { method, json: body({ budgets: [budget] }) });
      expect(answer).toMatchObject({ status: 400, json: { code: 'bad_request' } });
      expect(answer.text).toContain('a budget must be above zero');
    }
    expect(await everything()).toEqual(before);
  });
});

describe('single model calls', () => {
  test('are counted with their price if known', async () => {
    await chat('dear');
    await chat('cheap');
    await counted(2);
    expect((await report('?by=model')).rows).toMatchObject([
      { key: 'p/dear', modelCalls: 1, cost: 3, unpriced: 0, usage: { inputTokens: 2, outputTokens: 1 } },
      { key: 'p/cheap', modelCalls: 1, cost: null, unpriced: 1, usage: { inputTokens: 2, outputTokens: 1 } },
    ]);
    expect((await report('?by=conversation')).rows).toMatchObject([{ key: '', modelCalls: 2, cost: 3, unpriced: 1 }]);
  });

  test('are counted as of unknown usage if they fail', async () => {
    await upstream.close();
    await chat('dear');
    await counted(1);
    expect((await report('?by=model')).rows).toMatchObject([
      { cost: null, unpriced: 1, uncounted: 1, failures: 1, usage: {} },
    ]);
  });

  test.each<[string, Budget, string]>([
    ['the day', { of: 'day', tokens: 3 }, 'The daily budget is used up: 3 tokens of 3 tokens.'],
    ['the model', { of: 'model', model: 'p/dear', dollars: 3 }, 'The daily budget of the model p/dear is used up'],
  ])('are rejected beyond the budget of %s without a request', async (_what, budget, message) => {
    await setDefaults([budget]);
    expect(await chat('dear')).toMatchObject({ status: 200 });
    await counted(1);
    const refused = await chat('dear');
    expect(refused).toMatchObject({
      status: 402,
      json: { code: 'budget_exceeded', hint: 'Raise the budget to continue.' },
    });
    expect(refused.text).toContain(message);
    expect(upstream.requests).toHaveLength(1);
    await setDefaults([{ ...budget, tokens: 100, dollars: 100 }]);
    expect(await chat('dear')).toMatchObject({ status: 200 });
  });
});

describe('calls of a run in a tab', () => {
  const runs = () => server.storage.runs;
  const requestChat = (run: string): Promise<TestResponse> =>
    server.ask('/webapi/chat/p', {
      headers: { 'x-toolyard-run': run },
      json: { model: 'dear', messages: [{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }] },
    });

  async function begin(id: string, of: { principal?: Owner; place?: RunLocation } = {}): Promise<LeasedRun> {
    const { principal = OWNER, place = 'browser' } = of;
    const conversationId = `c-${id}`;
    await server.storage.conversations.create(principal, { id: conversationId, title: '', at: 1 });
    const lease = { owner: 'tab:1', ms: 600_000 };
    const made = runs().createRun(principal, {
      id,
      conversationId,
      place,
      at: 1,
      messages: [],
      lease,
      configuration: {},
    });
    if (made.outcome !== 'created') throw new Error(made.outcome);
    return made.run;
  }

  function commit(run: LeasedRun, more: Partial<RunCommit>): void {
    const { id: runId, fence, lastSeq: baseSeq } = run;
    const [outcome] = runs().commit([{ runId, fence, baseSeq, events: [], durability: 'normal', ...more }]);
    expect(outcome?.outcome).toBe('committed');
  }

  test('are counted for the run and its conversation', async () => {
    await begin('r');
    expect((await requestChat('r')).status).toBe(200);
    await counted(1);
    expect((await report('?by=conversation')).rows).toMatchObject([{ key: 'c-r', modelCalls: 1, cost: 3 }]);
    const of = { conversationId: 'c-r', agentId: null, at: Date.now() };
    const budget: Budget = { of: 'conversation', calls: 1 };
    expect(await server.storage.usage.spent(OWNER, budget, of)).toMatchObject({ calls: 1, dollars: 3 });
    expect(await server.storage.usage.spent(OWNER, budget, { ...of, conversationId: 'x' })).toMatchObject({ calls: 0 });
  });

  test('are rejected beyond the budget of the conversation, and allowed up to a raised one', async () => {
    const run = await begin('r');
    const budget: Budget = { of: 'conversation', dollars: 3 };
    await setDefaults([budget]);
    expect((await requestChat('r')).status).toBe(200);
    await counted(1);
    expect(await requestChat('r')).toMatchObject({ status: 402, json: { code: 'budget_exceeded' } });
    expect(upstream.requests).toHaveLength(1);
    await begin('r2');
    expect((await requestChat('r2')).status).toBe(200);
    await counted(2);

    const spent = { dollars: 3, tokens: 3, calls: 1, unpriced: 0 };
    const interrupt = { id: 'r.b', kind: 'budget', budget, measure: 'dollars', spent } as const;
    commit(run, { interrupts: { opened: [{ interrupt, mode: 'parked' }] } });
    expect((await requestChat('r')).status).toBe(402);
    const raise = { decision: 'raise', limit: 5 } as const;
    expect(runs().answerInterrupt(OWNER, 'r.b', raise, 1).outcome).toBe('answered');
    expect((await requestChat('r')).status).toBe(200);
    await counted(3);
    // A raised budget is still a limit.
    expect((await requestChat('r')).status).toBe(402);
    // A budget raised for one run does not apply to another.
    expect((await requestChat('r2')).status).toBe(402);
  });

  test('are rejected if the run belongs to another user, executes on the server, has ended or does not exist', async () => {
    await begin('of-bert', { principal: BERT.principal });
    await begin('on-server', { place: 'server' });
    commit(await begin('over'), { status: 'done' });
    for (const id of ['of-bert', 'on-server', 'over', 'none']) {
      const { status, json } = await requestChat(id);
      expect([id, status, (json as { code: string }).code]).toEqual([id, 409, 'conflict']);
    }
    expect(upstream.requests).toEqual([]);
    expect((await report()).total.modelCalls).toBe(0);
  });
});

describe('GET /api/usage', () => {
  const days = (from: string, to: string): string => `?from=${from}&to=${to}`;

  test('rejects an invalid day, and an end before the start', async () => {
    for (const query of ['?from=yesterday', '?to=2026-02-30', '?by=colour', days('2026-11-02', '2026-11-01')]) {
      const { status, json } = await get(`/api/usage${query}`);
      expect([query, status, (json as { code: string }).code]).toEqual([query, 400, 'bad_request']);
    }
    expect(await report(days('2024-02-29', '2024-02-29'))).toMatchObject({
      rows: [],
      total: { modelCalls: 0, cost: 0 },
    });
  });

  test('returns the last thirty days by default', async () => {
    const { from, to } = await report();
    expect(Date.parse(to) - Date.parse(from)).toBe(29 * 24 * 60 * 60 * 1_000);
  });

  test('can be returned as CSV, in which no text is a formula', async () => {
    const at = Date.UTC(2026, 0, 2);
    const tool = { serverId: '=cmd', name: 'a,"b"' };
    await server.storage.usage.add(OWNER, { kind: 'tool', at, durationMs: 4, tool, failed: true });
    const { text, headers } = await server.ask(`/api/usage${days('2026-01-01', '2026-01-31')}&by=tool&format=csv`);
    expect(headers).toMatchObject({ 'content-type': 'text/csv; charset=utf-8' });
    const [head, row, rest] = text.split('\r\n');
    expect(head?.split(',').slice(0, 5)).toEqual(['key', 'label', 'model_calls', 'tool_calls', 'failures']);
    expect(row).toBe(`"'=cmd/a,""b""","'=cmd/a,""b""",0,1,1,4,,,,,,0,0,0`);
    expect(rest).toBe('');
  });
});

describe('budgets', () => {
  test('are rejected with a reason if invalid, and change nothing', async () => {
    await setDefaults([{ of: 'day', dollars: 5 }]);
    const wrong: [unknown, RegExp][] = [
      [[{ of: 'day', dollars: 0 }], /above zero/],
      [[{ of: 'day', tokens: -3 }], /above zero/],
      [[{ of: 'day', dollars: 'five' }], /must be a number \(got a string\)/],
      [[{ of: 'week', dollars: 1 }], /budgets.0.of/],
      [[{ of: 'day' }], /"dollars", "tokens" or "calls"/],
      [[{ of: 'model', model: 'gpt', dollars: 1 }], /slash/],
      [
        [
          { of: 'day', dollars: 1 },
          { of: 'day', tokens: 1 },
        ],
        /two budgets have the same scope/,
      ],
    ];
    for (const [budgets, message] of wrong) {
      const { status, json } = await setDefaults(budgets);
      expect([JSON.stringify(budgets), status]).toEqual([JSON.stringify(budgets), 400]);
      expect((json as { detail: string }).detail).toMatch(message);
    }
    expect((await get('/api/settings')).json).toMatchObject({ defaults: { budgets: [{ of: 'day', dollars: 5 }] } });
  });

  test('are listed with their usage', async () => {
    await setDefaults([
      { of: 'day', dollars: 5 },
      { of: 'conversation', tokens: 50 },
      { of: 'model', model: 'q/other', calls: 1 },
    ]);
    await chat('dear');
    await counted(1);
    expect((await get('/api/usage/budgets')).json).toMatchObject({
      items: [{ spent: { dollars: 3, tokens: 3, calls: 1 } }, { spent: { calls: 0 } }, { spent: { calls: 0 } }],
    });
    await server.ask('/api/conversations', { json: { id: 'c' } });
    expect((await get('/api/usage/budgets?conversation=c')).json).toEqual({
      items: [
        { budget: { of: 'day', dollars: 5 }, spent: { dollars: 3, tokens: 3, calls: 1, unpriced: 0 } },
        { budget: { of: 'conversation', tokens: 50 }, spent: { dollars: 0, tokens: 0, calls: 0, unpriced: 0 } },
      ],
    });
    expect(await get('/api/usage/budgets?conversation=none')).toMatchObject({ status: 404 });
  });

  test('and usage are private to their owner', async () => {
    const two = await startTestServer({ security: { tokens: [ANNE, BERT] }, owner: ANNE.principal });
    try {
      const at = Date.now();
      const tool = { serverId: 'secret-server', name: 't' };
      await two.storage.conversations.create(ANNE.principal, { id: 'c', title: 'secret', at });
      await two.storage.usage.add(ANNE.principal, { kind: 'tool', at, durationMs: 4, tool, failed: false });
      for (const by of ['day', 'model', 'agent', 'tool', 'conversation']) {
        const { text, json } = await two.ask(`/api/usage?by=${by}`, { headers: as(BERT) });
        expect(json).toMatchObject({ rows: [], total: { toolCalls: 0 } });
        expect(text).not.toContain('secret');
      }
      expect(await two.ask('/api/usage/budgets?conversation=c', { headers: as(BERT) })).toMatchObject({ status: 404 });
    } finally {
      await two.close();
    }
  });
});
