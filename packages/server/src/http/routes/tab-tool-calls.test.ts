import type { InterruptAnswer, JsonObject, LeasedTabRun, ResolvedAgentConfiguration } from '@toolyard/protocol';
import { DEFAULT_LIMITS } from '@toolyard/protocol';
import { eventually } from '@toolyard/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import type { FakeTool } from '../../runs/test-fixtures/setup.ts';
import { ANNE, answers } from '../../runs/test-fixtures/setup.ts';
import { calling, event, message, TOOL, useTabScene } from '../test-fixtures/tab-runs.ts';
import * as door from '../test-fixtures/test-server.ts';
import type { TestResponse } from '../test-fixtures/test-server.ts';

const CALL_ID = 'r.0.0';
const RUNS_SEND: JsonObject = { to: 'anne' };
const SEND = { serverId: 'desk', name: 'send' };

/** Calls that reached a tool, with their arguments; `hold` keeps those of `send` open. */
const made: { name: string; args: JsonObject; signal: AbortSignal | undefined }[] = [];
let hold = Promise.resolve();
let [atOnce, mostAtOnce] = [0, 0];

const tool = (name: string, more: Partial<FakeTool> = {}): FakeTool => ({
  call: async (args, { signal }) => {
    made.push({ name, args, signal });
    const stopped = new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
    mostAtOnce = Math.max(mostAtOnce, ++atOnce);
    await Promise.race([hold, stopped]);
    atOnce--;
    return answers(`${name} done`);
  },
  ...more,
});
const ALL = { send: tool('send'), look: tool('look', { builtIn: true }) };
const tools: Record<string, FakeTool> = {};
/** The budget of a tool that two calls exhaust. */
const configuration: Partial<ResolvedAgentConfiguration> = {
  budgets: [{ of: 'tool', tool: 'desk/send', calls: 2 }],
  limits: { ...DEFAULT_LIMITS, toolConcurrency: 3 },
};
const { scene, post, begin, take, offer, commit } = useTabScene({ tools, configuration });

beforeEach(() => {
  made.length = 0;
  [atOnce, mostAtOnce] = [0, 0];
  for (const name of Object.keys(tools)) delete tools[name];
  Object.assign(tools, ALL);
  hold = Promise.resolve();
  sent = { number: 0, seq: 0 };
});

/** What the tab has committed so far. */
let sent = { number: 0, seq: 0 };
async function commitNext(more: object, events: object[] = []): Promise<TestResponse> {
  const { number, seq } = sent;
  const numbered = events.map((body, at) => event(body, seq + at + 1));
  const response = await commit({ ...more, number: number + 1, baseSeq: seq, events: numbered });
  if (response.status === 200) sent = { number: number + 1, seq: seq + events.length };
  return response;
}

type StoredCall = { name?: string; args?: JsonObject; ledger?: object; state?: 'planned' | 'sent' };

/** Stores a call as an honest tab does: in the answer, and in the ledger as sent. `ledger`: what the ledger says instead. */
async function store({ name = 'send', args = RUNS_SEND, ledger, state = 'sent' }: StoredCall = {}): Promise<void> {
  const called = { tool: { serverId: 'desk', name }, arguments: args };
  const moves = state === 'sent' ? [{ change: 'move', callId: CALL_ID, from: 'planned', to: 'sent' }] : [];
  const changes = { ledger: [{ change: 'plan', callId: CALL_ID, ...called, ...ledger }, ...moves] };
  expect((await commitNext({ ...calling({ ...called, name }), ...changes })).status).toBe(200);
}

/** Stores several calls of one answer; returns their ids. */
async function storeSeveral(name: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_each, at) => `r.0.${String(at)}`);
  const called = { tool: { serverId: 'desk', name }, name, arguments: RUNS_SEND };
  const parts = ids.map((callId) => ({ type: 'tool_call', callId, ...called }));
  const ledger = ids.flatMap((callId) => [
    { change: 'plan', callId, tool: called.tool, arguments: RUNS_SEND },
    { change: 'move', callId, from: 'planned', to: 'sent' },
  ]);
  expect((await commitNext({ ...message({ finishReason: 'tool_calls', parts }), ledger })).status).toBe(200);
  return ids;
}

/** Asks about the call and answers as the user. */
async function ask(interrupt: object, answer: InterruptAnswer): Promise<void> {
  const asked = {
    callId: CALL_ID,
    tool: { serverId: 'desk', name: 'send' },
    name: 'send',
    arguments: RUNS_SEND,
    ...interrupt,
  };
  const opened = { interrupts: { opened: [{ interrupt: asked, mode: 'parked' }] } };
  const called = calling({ tool: asked.tool, name: 'send', arguments: RUNS_SEND });
  expect((await commitNext({ ...called, ...opened }, [{ type: 'interrupt_requested', interrupt: asked }])).status).toBe(
    200,
  );
  await scene.bench.runs.answer(ANNE, (interrupt as { id: string }).id, answer);
}
const APPROVAL = { id: `${CALL_ID}.approval`, kind: 'approval', definition: 'd1' };
const approve = (more: object = {}): Promise<void> => ask(APPROVAL, { decision: 'approve', scope: 'once', ...more });

const ALLOW = { tool: { serverId: 'desk', name: 'send' }, conversationId: null, decision: 'allow', at: 5 } as const;
const decide = (decision: 'allow' | 'never'): Promise<void> =>
  scene.bench.storage.permissions.set(ANNE, { ...ALLOW, decision });

const call = ({ tab = 'tab-1', fence = scene.held.fence, id = CALL_ID, who = door.ANNE, run = 'r' } = {}) =>
  post(`/api/tabs/${tab}/runs/${run}/tool-calls/${id}`, { fence }, who);

describe('rejects a call of a tab', () => {
  const REJECTED: readonly [string, number, () => Promise<TestResponse>][] = [
    ['of a run whose lease another tab has', 409, () => call({ tab: 'tab-2' })],
    ['under another fence', 409, () => call({ fence: 99 })],
    ['of a run of another owner', 404, () => call({ who: door.BERT })],
    ['that no message contains', 400, () => call({ id: 'r.0.1' })],
    [
      'of another run, under the lease of this one',
      400,
      async () => {
        const { fence } = (await begin('tab-1', 'r2', 'other')).json as unknown as LeasedTabRun;
        return call({ run: 'r2', fence });
      },
    ],
    [
      'after its run has ended',
      409,
      async () => {
        await scene.bench.runs.cancel(ANNE, 'r');
        scene.database.exec(`UPDATE runs SET ended_at = 5, lease_owner = NULL, status = 'cancelled' WHERE id = 'r'`);
        return call();
      },
    ],
  ];
  test.each(REJECTED)('%s', async (_what, status, attempt) => {
    await decide('allow');
    await store();
    expect((await attempt()).status).toBe(status);
    expect(made).toEqual([]);
  });

  const FORGED: readonly [string, StoredCall][] = [
    ['that is planned only', { state: 'planned' }],
    ['with other arguments than its message has', { ledger: { arguments: { to: 'mallory' } } }],
    ['with other arguments, marked as edited', { ledger: { arguments: { to: 'mallory' }, edited: true } }],
    ['with another tool than its message has', { ledger: { tool: { serverId: 'desk', name: 'look' } } }],
  ];
  test.each(FORGED)('%s', async (_what, forged) => {
    await decide('allow');
    await store(forged);
    expect((await call()).status).toBe(400);
    expect(made).toEqual([]);
  });

  test('that names the origin of a tab, which hides a decision about the tool of the server', async () => {
    await decide('never');
    await store();
    await commitNext(calling({ tool: { ...SEND, origin: 'tab' }, name: 'send', arguments: RUNS_SEND }));
    expect((await call()).status).toBe(400);
    expect(made).toEqual([]);
  });

  test('that uses the id of an earlier call for other arguments', async () => {
    await decide('allow');
    await store();
    expect((await call()).status).toBe(200);
    await commitNext({ ledger: [{ change: 'move', callId: CALL_ID, from: 'sent', to: 'planned' }] });
    await store({ args: { to: 'mallory' } });
    expect((await call()).status).toBe(409);
    expect(made).toHaveLength(1);
  });
});

describe('does not make a call that the server does not allow', () => {
  const REFUSED: readonly [string, string, () => Promise<void>][] = [
    ['that nobody approved', 'tool_refused', () => store()],
    [
      'that only the state of the tab calls approved',
      'tool_refused',
      async () => {
        await store();
        const pending = [{ callId: CALL_ID, name: 'send', arguments: RUNS_SEND, decision: 'run', approved: true }];
        const { point } = scene.held.state as { point: { state: object } };
        const state = { ...scene.held.state, point: { ...point, state: { ...point.state, pending } } };
        await commitNext({ state });
      },
    ],
    [
      'of a run that the user stopped, and that its tab does not end',
      'cancelled',
      async () => {
        await approve();
        await store();
        await scene.bench.runs.cancel(ANNE, 'r');
      },
    ],
    [
      'that the user denied, although the tool is allowed by now',
      'tool_refused',
      async () => {
        await ask(APPROVAL, { decision: 'refuse' });
        await decide('allow');
        await store();
      },
    ],
    [
      'that was approved before the tool was set to "never"',
      'tool_refused',
      async () => {
        await approve();
        await decide('never');
        await store();
      },
    ],
    [
      'with the arguments of the model, which the user has edited',
      'tool_refused',
      async () => {
        await approve({ arguments: { to: 'bert' } });
        await store();
      },
    ],
    [
      'that was approved as a tool of this tab with the same name, in words of the tab',
      'tool_refused',
      async () => {
        // A server of the server may have such an id as well.
        tools['note'] = tool('note', { serverId: TOOL.serverId });
        await offer();
        const named = { tool: { ...TOOL, origin: 'tab' }, name: 'note', arguments: {} };
        const interrupt = { ...APPROVAL, callId: CALL_ID, ...named, description: 'Harmless.' };
        const opened = { interrupts: { opened: [{ interrupt, mode: 'parked' }] } };
        expect((await commitNext({ ...calling(named), ...opened })).status).toBe(200);
        await scene.bench.runs.answer(ANNE, APPROVAL.id, { decision: 'approve', scope: 'once' });
        const ofServer = { serverId: TOOL.serverId, name: TOOL.name };
        const ledger = [
          { change: 'plan', callId: CALL_ID, tool: ofServer, arguments: {} },
          { change: 'move', callId: CALL_ID, from: 'planned', to: 'sent' },
        ];
        expect((await commitNext({ ...calling({ ...named, tool: ofServer }), ledger })).status).toBe(200);
      },
    ],
    [
      'in doubt, which was never made',
      'tool_refused',
      async () => {
        await store();
        await ask({ id: `${CALL_ID}.in_doubt.1`, kind: 'in_doubt', sentAt: 1 }, { decision: 'repeat' });
      },
    ],
    [
      'of a tool that the run does not have',
      'tool_not_found',
      async () => {
        await store({ name: 'gone' });
      },
    ],
    [
      'of a tool that was disabled since it was approved',
      'tool_not_found',
      async () => {
        await approve();
        await store();
        delete tools['send'];
      },
    ],
    [
      'of a tool of another tab',
      'tool_not_found',
      async () => {
        const servers = [
          { id: 'browser-desk', url: 'http://n', tools: [{ name: 'gone', inputSchema: { type: 'object' } }] },
        ];
        const offer = { tabId: 'tab-2', conversationId: 'c', servers, seenUntil: 1e15, at: 5 };
        await scene.bench.storage.tabs.offer(ANNE, offer);
        const named = { tool: { serverId: 'browser-desk', name: 'gone' } };
        const changes = [
          { change: 'plan', callId: CALL_ID, ...named, arguments: {} },
          { change: 'move', callId: CALL_ID, from: 'planned', to: 'sent' },
        ];
        await commitNext({ ...calling({ ...named, name: 'gone' }), ledger: changes });
      },
    ],
  ];
  test.each(REFUSED)('%s', async (_what, code, prepare) => {
    await prepare();
    expect(await call()).toMatchObject({ status: 200, json: { result: { outcome: 'not_sent', error: { code } } } });
    expect(made).toEqual([]);
  });
});

describe('makes a call once', () => {
  const DONE = { status: 200, json: { result: { outcome: 'done', content: [{ text: 'send done' }] } } };

  const ALLOWED: readonly [string, string, JsonObject, () => Promise<void>][] = [
    ['of a harmless built-in tool', 'look', RUNS_SEND, () => store({ name: 'look' })],
    ['of an allowed tool', 'send', RUNS_SEND, () => decide('allow').then(() => store())],
    ['that the user approved', 'send', RUNS_SEND, () => approve().then(() => store())],
    [
      'with the arguments that the user edited',
      'send',
      { to: 'bert' },
      () =>
        approve({ arguments: { to: 'bert' } }).then(() =>
          store({ ledger: { arguments: { to: 'bert' }, edited: true } }),
        ),
    ],
  ];
  test.each(ALLOWED)('%s', async (_what, name, args, prepare) => {
    await prepare();
    const json = { result: { outcome: 'done', content: [{ text: `${name} done` }] } };
    expect(await call()).toMatchObject({ status: 200, json });
    expect(made).toMatchObject([{ name, args }]);
    expect(await call()).toMatchObject({ status: 200, json });
    expect(made).toHaveLength(1);
  });

  test('however many requests wait for it, also of the tab that claims the run meanwhile', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    hold = promise;
    await decide('allow');
    await store();
    const first = [call(), call()];
    await eventually(() => expect(made).toHaveLength(1), { what: 'the call' });
    const { held } = (await take('tab-2')).json as { held: Pick<LeasedTabRun, 'fence'> | null };
    const { fence = 0 } = held ?? {};
    const other = call({ tab: 'tab-2', fence });
    expect((await call()).status).toBe(409);
    resolve();
    expect(await Promise.all([...first, other])).toMatchObject([DONE, DONE, DONE]);
    expect(made).toHaveLength(1);
    expect(made[0]?.signal?.aborted).toBe(false);
  });

  test.each<[string, () => unknown]>([
    ['ends', () => scene.database.exec(`UPDATE runs SET ended_at = 5 WHERE id = 'r'`)],
    ['is stopped, although its tab does not end it', () => scene.bench.runs.cancel(ANNE, 'r')],
  ])('and cancels it when the run %s', async (_what, end) => {
    hold = new Promise(() => undefined);
    await decide('allow');
    await store();
    void call().catch(() => undefined);
    await eventually(() => expect(made).toHaveLength(1), { what: 'the call' });
    await end();
    await eventually(() => expect(made[0]?.signal?.aborted).toBe(true), { what: 'the cancellation' });
  });

  test('and not more at once than the run may make', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    hold = promise;
    const all = Promise.all((await storeSeveral('look', 4)).map((id) => call({ id })));
    await eventually(() => expect(made).toHaveLength(3), { what: 'the calls' });
    resolve();
    const done = { json: { result: { outcome: 'done' } } };
    expect(await all).toMatchObject([done, done, done, done]);
    expect(mostAtOnce).toBe(3);
  });

  test('and counts it towards the budget of its tool, with those in progress', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    hold = promise;
    await decide('allow');
    const ids = await storeSeveral('send', 4);
    const all = Promise.all(ids.map((id) => call({ id })));
    await eventually(() => expect(made).toHaveLength(2), { what: 'the calls' });
    resolve();
    const results = (await all).map(({ json }) => (json as { result: { outcome: string; error?: object } }).result);
    expect(results.map(({ outcome }) => outcome).toSorted()).toEqual(['done', 'done', 'not_sent', 'not_sent']);
    expect(results.find(({ error }) => error)).toMatchObject({ error: { code: 'budget_exceeded' } });
    expect(made).toHaveLength(2);
  });
});

describe('a call whose process is gone', () => {
  const abandon = (name: string): Promise<unknown> => {
    const row = {
      callId: CALL_ID,
      runId: 'r',
      conversationId: 'c',
      tool: { serverId: 'desk', name },
      arguments: RUNS_SEND,
    };
    return Promise.resolve(scene.bench.storage.tabs.startCall(ANNE, { ...row, definition: '', at: 5 }));
  };

  test('has an unknown outcome, and is made again only if the user says so', async () => {
    await approve();
    await store();
    await abandon('send');
    const gone = { json: { result: { outcome: 'unknown', error: { code: 'process_gone' } } } };
    expect(await call()).toMatchObject(gone);
    await commitNext({ ledger: [{ change: 'move', callId: CALL_ID, from: 'sent', to: 'in_doubt' }] });
    await ask({ id: `${CALL_ID}.in_doubt.1`, kind: 'in_doubt', sentAt: 1 }, { decision: 'repeat' });
    await commitNext({ ledger: [{ change: 'move', callId: CALL_ID, from: 'in_doubt', to: 'planned' }] });
    await store();
    expect(made).toEqual([]);
    for (const _again of [1, 2]) expect(await call()).toMatchObject({ json: { result: { outcome: 'done' } } });
    expect(made).toHaveLength(1);
  });

  test('is made again without asking if it is harmless', async () => {
    await store({ name: 'look' });
    await abandon('look');
    expect(await call()).toMatchObject({ json: { result: { outcome: 'done' } } });
    expect(made).toHaveLength(1);
  });
});

test('lists the tools of the server with its verdicts about calls, for the tab that has the lease', async () => {
  const named = (name: string): object => ({ tool: { serverId: 'desk', name }, arguments: {} });
  const read = (tab = 'tab-1', who = door.ANNE, known = {}): Promise<TestResponse> => {
    const calls = ['send', 'look', 'gone'].map(named);
    return post(`/api/tabs/${tab}/runs/r/tools`, { fence: scene.held.fence, calls, ...known }, who);
  };
  const gone = { decision: 'refused', refusal: { code: 'tool_not_found' } };
  const first = await read();
  expect(first.json).toMatchObject({
    listed: {
      tools: [
        { name: 'send', builtIn: false },
        { name: 'look', builtIn: true },
      ],
      serverInstructions: [],
    },
    verdicts: [{ decision: 'ask', about: { definition: 'd1' } }, { decision: 'run' }, gone],
  });
  // The list is sent once; it is longer than everything else.
  const { version } = first.json as { version: string };
  expect((await read('tab-1', door.ANNE, { known: version })).json).toMatchObject({ version, listed: null });
  await decide('never');
  expect((await read()).json).toMatchObject({ verdicts: [{ decision: 'refused' }, { decision: 'run' }, gone] });
  expect((await read('tab-2')).status).toBe(409);
  expect((await read('tab-1', door.BERT)).status).toBe(404);
});
