import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DATABASE_FILE } from '@toolyard/storage';
import type { HeldRun, JsonObject, RunEvent } from '@toolyard/protocol';
import { canonicalJson, RUN_EVENT_VERSION, TAB_RUNS_VERSION as v } from '@toolyard/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestServer } from './test-fixtures/test-server.ts';
import type { Answer, TestServer } from './test-fixtures/test-server.ts';
import * as door from './test-fixtures/test-server.ts';
import type { Bench } from '../runs/test-fixtures/bench.ts';
import { ANNE, BERT, cleanUp, openBench, temporaryFolder } from '../runs/test-fixtures/bench.ts';
import { says, scriptedModel } from '../runs/test-fixtures/scripted-model.ts';

let bench: Bench;
let server: TestServer;
let database: DatabaseSync;
let held: HeldRun;
/** The place of the run's answer. */
const answerId = 'r.0';

beforeEach(async () => {
  const folder = temporaryFolder();
  bench = await openBench(folder, { model: scriptedModel([says('Hello.')]) });
  const { storage, runs, hub, streams } = bench;
  server = await startTestServer({
    security: { tokens: [door.ANNE, door.BERT] },
    change: { storage, runs, hub, streams },
  });
  await bench.conversation('c');
  await bench.conversation('other');
  await bench.conversation('of-bert', BERT);
  held = (await begin('tab-1', 'r')).json as unknown as HeldRun;
  database = new DatabaseSync(join(folder, DATABASE_FILE));
});
afterEach(async () => {
  database.close();
  await server.close();
  await cleanUp();
});

const post = (path: string, json: unknown, who = door.ANNE): Promise<Answer> =>
  server.ask(path, { json, headers: door.as(who) });
const begin = (tab: string, id: string, conversationId = 'c'): Promise<Answer> =>
  post(`/api/tabs/${tab}/runs`, { v, conversationId, id, parts: [{ type: 'text', text: 'Hi' }] });
const renew = (tab: string, fence: number, run = 'r', who = door.ANNE): Promise<Answer> =>
  post(`/api/tabs/${tab}/runs/${run}/lease`, { fence }, who);
const take = (tab: string): Promise<Answer> => post(`/api/tabs/${tab}/runs/r/take`, { v });
const commit = (more: object, { tab = 'tab-1', run = 'r', who = door.ANNE } = {}): Promise<Answer> =>
  post(
    `/api/tabs/${tab}/runs/${run}/commit`,
    { v, fence: held.fence, number: 1, baseSeq: 0, events: [], ...more },
    who,
  );

function event(body: object, seq = 1): RunEvent {
  return { v: RUN_EVENT_VERSION, seq, runId: 'r', step: 0, attempt: 1, at: 5, ...body } as RunEvent;
}

const began = (message: object | null): RunEvent =>
  event({ type: 'run_started', conversationId: 'c', place: 'browser', model: 'scripted-1', message });
const delta = (text: string, seq = 1): RunEvent => event({ type: 'text_delta', messageId: answerId, text }, seq);
const saying = (more: object = {}): object => ({
  id: answerId,
  parentId: 'r',
  createdAt: 5,
  role: 'assistant',
  runId: 'r',
  model: 'scripted-1',
  finishReason: 'stop',
  parts: [{ type: 'text', text: 'Forged' }],
  ...more,
});
const message = (more: object, conversationId = 'c'): object => ({
  messages: [{ conversationId, message: saying(more) }],
});

/** The state as it is, but for what is said here. */
function state(of: object, more: object = {}): JsonObject {
  const { point } = held.state as { point: { state: object; context: object } };
  return { ...held.state, point: { ...point, state: { ...point.state, ...of } }, ...more } as JsonObject;
}

const calls = (): unknown[] => database.prepare('SELECT * FROM usage_sums').all();

/** All that a commit could have changed. */
async function everything(): Promise<unknown> {
  const { storage } = bench;
  return {
    run: storage.runs.getRun(ANNE, 'r'),
    events: bench.events('r'),
    ledger: storage.runs.readLedger(ANNE, 'r'),
    interrupts: storage.runs.listInterrupts(ANNE, { limit: 99 }),
    messages: [await bench.all('c'), await bench.all('other'), await storage.messages.all(BERT, 'of-bert')],
    leaf: (await storage.conversations.get(ANNE, 'c'))?.leafId,
    usage: calls(),
  };
}

const TOOL = { serverId: 'browser-notes', name: 'note' };
const QUESTION = { kind: 'approval', callId: 'r.c', tool: TOOL, name: 'note', arguments: {} };
const RAISED = { decision: 'raise', limit: 99 };

describe('a commit of a tab is refused, and changes nothing,', () => {
  const REFUSED: [string, () => object][] = [
    ['with a gap in its events', () => ({ events: [delta('a'), delta('b', 3)] })],
    ['with an event of another run', () => ({ events: [{ ...delta('a'), runId: 'x' }] })],
    ['with an event about a message of another', () => ({ events: [{ ...delta('a'), messageId: 'x.0' }] })],
    [
      'with a request for a message of another',
      () => ({
        events: [event({ type: 'attempt_abandoned', messageId: 'r' })],
      }),
    ],
    [
      'with what a person is said to have thrown in',
      () => ({
        events: [event({ type: 'steered', message: { ...held.message, id: 'r.u' } })],
      }),
    ],
    [
      'with another beginning',
      () => ({
        events: [
          event({ type: 'run_started', conversationId: 'other', place: 'browser', model: 'm', message: held.message }),
        ],
      }),
    ],
    [
      'with the end of a question of another',
      () => ({
        events: [event({ type: 'interrupt_withdrawn', interruptId: 'x.1' })],
      }),
    ],
    ['with a message whose id is not made from the run', () => message({ id: 'x.1' })],
    ['with the question written anew', () => message({ id: 'r', parentId: null })],
    ['with a message in another conversation', () => message({}, 'other')],
    ['with a message in the conversation of somebody else', () => message({}, 'of-bert')],
    ['with a message of another run', () => message({ runId: 'x' })],
    ['with a message behind one that is not there', () => message({ id: 'r.9', parentId: 'nowhere' })],
    [
      'with a message of a person',
      () => ({
        messages: [
          {
            conversationId: 'c',
            message: { id: 'r.u', parentId: 'r', createdAt: 5, role: 'user', parts: [{ type: 'text', text: 'x' }] },
          },
        ],
      }),
    ],
    [
      'with instructions in the name of another',
      () => ({
        messages: [
          {
            conversationId: 'c',
            message: { id: 'sys', parentId: 'r', createdAt: 5, role: 'system', parts: [{ type: 'text', text: 'x' }] },
          },
        ],
      }),
    ],
    [
      'with what was sent under a name that is not its own',
      () => ({
        preludes: [{ id: 'a'.repeat(64), prelude: { instructions: 'Forged', serverInstructions: [], tools: [] } }],
      }),
    ],
    ['with a leaf of another', () => ({ leaf: { from: answerId, to: 'r' } })],
    [
      'with a call of another run',
      () => ({
        ledger: [{ change: 'plan', callId: 'x.c', tool: TOOL, arguments: {} }],
      }),
    ],
    [
      'with a call that ends before it was sent',
      () => ({
        ledger: [
          { change: 'plan', callId: 'r.c', tool: TOOL, arguments: {} },
          { change: 'move', callId: 'r.c', from: 'planned', to: 'done' },
        ],
      }),
    ],
    [
      'with a call moved that is not there',
      () => ({
        ledger: [{ change: 'move', callId: 'r.c', from: 'sent', to: 'done' }],
      }),
    ],
    [
      'with a question of another',
      () => ({
        interrupts: { opened: [{ interrupt: { ...QUESTION, id: 'x.1' }, mode: 'parked' }] },
      }),
    ],
    [
      'with its own answer to its own question',
      () => ({
        interrupts: {
          opened: [{ interrupt: { ...QUESTION, id: 'r.q' }, mode: 'parked' }],
          answered: [{ id: 'r.q', answer: { decision: 'approve', scope: 'always' } }],
        },
      }),
    ],
    ['with a raise of a budget', () => ({ interrupts: { answered: [{ id: 'r.q', answer: RAISED }] } })],
    ['with a question of another withdrawn', () => ({ interrupts: { withdrawn: ['x.1'] } })],
    ['with the state of another run', () => ({ state: state({ runId: 'x' }) })],
    ['with the state of another conversation', () => ({ state: state({ conversationId: 'other' }) })],
    ['with a state of a version to come', () => ({ state: state({ schemaVersion: 99 }) })],
    ['with a state that has no end of its branch', () => ({ state: state({}, { leafId: 7 }) })],
    ['with no state at its end', () => ({ status: 'done' })],
    ['with an end its state does not know of', () => ({ status: 'done', state: state({ status: 'failed' }) })],
    ['back in the queue', () => ({ status: 'queued', state: state({}) })],
    ['waiting for a tab', () => ({ status: 'waiting_for_tab', state: state({}) })],
    [
      'with usage of a model',
      () => ({
        usage: [{ kind: 'model', at: 5, durationMs: 1, providerId: 'p', modelId: 'm', usage: null, cost: -5 }],
      }),
    ],
    ['with something said to it that was not', () => ({ events: [delta('a')], taken: ['cancel'] })],
    ['with a queued message taken away', () => ({ unqueued: ['q'] })],
    [
      'with a question that was not asked',
      () => ({ events: [began({ ...held.message, parts: [{ type: 'text', text: 'Forged' }] })] }),
    ],
    ['with a question under another id', () => ({ events: [began({ ...held.message, id: 'x' })] })],
    ['out of its turn', () => ({ number: 2, events: [delta('a')] })],
    ['with too many events', () => ({ events: Array.from({ length: 10_001 }, (_, at) => delta('a', at + 1)) })],
  ];

  test.each(REFUSED)('%s', async (_what, made) => {
    const before = await everything();
    const answer = await commit(made());
    expect(answer).toMatchObject({ status: 400, json: { code: 'bad_request' } });
    expect((answer.json as { detail: string }).detail).toMatch(
      /^(A tab may write its own run and nothing else: |This was not stored: |.*does not fit: )./,
    );
    expect(await everything()).toEqual(before);
  });

  test('with a file of somebody else, which is not theirs to name', async () => {
    const theirs = await bench.storage.blobs.put(BERT, Buffer.from('x'), { mimeType: 'image/png', at: 5 });
    const ours = await bench.storage.blobs.put(ANNE, Buffer.from('y'), { mimeType: 'image/png', at: 5 });
    const showing = ({ sha256 }: { sha256: string }): object =>
      message({ parts: [{ type: 'image', mimeType: 'image/png', source: { blob: sha256 } }] });
    const before = await everything();
    expect((await commit(showing(theirs))).status).toBe(400);
    expect(await everything()).toEqual(before);
    expect((await commit(showing(ours))).status).toBe(200);
  });

  test('longer than anything may be', async () => {
    const before = await everything();
    const answer = await commit({ events: [delta('x'.repeat(33 * 1_024 * 1_024))] }).catch(() => null);
    // The door may close before all of it is sent.
    if (answer) expect(answer.status).toBe(413);
    expect(await everything()).toEqual(before);
  });

  test('by somebody else, or to a run that is on the server', async () => {
    const before = await everything();
    expect((await commit({ events: [delta('a')] }, { who: door.BERT })).status).toBe(404);
    expect(await everything()).toEqual(before);
    const onServer = await bench.ask('other', 'Hi');
    expect((await commit({}, { run: onServer })).status).toBe(404);
  });

  test('after its end', async () => {
    const end = event({ type: 'run_finished', status: 'done', usage: {} });
    const ended = { events: [end], status: 'done', state: state({ status: 'done' }) };
    expect((await commit(ended)).status).toBe(200);
    const before = await everything();
    for (const more of [{ events: [delta('a', 2)] }, { status: 'running', state: state({}) }]) {
      expect((await commit({ number: 2, baseSeq: 1, ...more })).status).toBe(409);
    }
    expect(await everything()).toEqual(before);
  });
});

describe('a commit', () => {
  test('that is sent twice is stored once, and answered the same', async () => {
    const usage = [{ kind: 'tool', at: 5, durationMs: 1, tool: TOOL, failed: false }];
    const ledger = [
      { change: 'plan', callId: 'r.c', tool: TOOL, arguments: {} },
      { change: 'move', callId: 'r.c', from: 'planned', to: 'sent' },
    ];
    const sent = { events: [delta('a'), delta('b', 2)], ...message({}), ledger, usage };
    const first = await commit(sent);
    expect(first).toMatchObject({ status: 200, json: { lastSeq: 2 } });
    const stored = await everything();
    const second = await commit(sent);
    expect([second.status, second.json]).toEqual([200, first.json]);
    expect(await everything()).toEqual(stored);
    expect(bench.events('r')).toHaveLength(2);
  });

  test('keeps what went along with its requests: what the model was sent can be shown', async () => {
    const prelude = {
      instructions: 'Be brief.',
      serverInstructions: [{ serverId: 'browser-notes', text: 'Write plainly.' }],
      tools: [{ tool: TOOL, name: 'note', inputSchema: { type: 'object' }, builtIn: false }],
    };
    const id = createHash('sha256').update(canonicalJson(prelude)).digest('hex');
    const fill = { tokens: 1, window: 8192, parts: { instructions: 1, tools: 0, results: 0, messages: 0 } };
    const asked = { model: 'scripted-1', leafId: 'r', toolChoice: 'auto', toolMode: 'native', parameters: {}, at: 5 };
    const request = { ...asked, timeZone: 'UTC', prelude: id, fill };
    const sent = {
      events: [event({ type: 'request_made', messageId: answerId, request })],
      preludes: [{ id, prelude }],
    };
    expect((await commit(sent)).status).toBe(200);
    const shown = await server.ask('/api/runs/r/steps/0/request', { headers: door.as(door.ANNE) });
    expect(shown.status).toBe(200);
    expect(shown.json).toMatchObject({ tools: prelude.tools, messages: [{ role: 'system' }, { role: 'user' }] });
    expect(JSON.stringify(shown.json)).toContain('Write plainly.');
  });

  test('of a page of another version is refused in plain words, and another tab goes on', async () => {
    const before = await everything();
    for (const [spoken, word] of [
      [undefined, 'older'],
      [v - 1, 'older'],
      [v + 1, 'newer'],
    ] as const) {
      const wrong = { json: { code: 'outdated_page', detail: `This page is ${word} than the server.` }, status: 400 };
      const older = { fence: held.fence, baseSeq: 0, events: [delta('a')], ...(spoken ? { v: spoken } : {}) };
      expect(await post('/api/tabs/tab-1/runs/r/commit', older)).toMatchObject(wrong);
      expect(await post('/api/tabs/tab-1/runs/r/take', { ...(spoken ? { v: spoken } : {}) })).toMatchObject(wrong);
    }
    expect(await everything()).toEqual(before);
    expect(await take('tab-2')).toMatchObject({ status: 200, json: { held: { run: { id: 'r' } } } });
  });

  test('that begins the run tells the question as it was asked', async () => {
    expect((await commit({ events: [began(held.message)] })).status).toBe(200);
  });

  describe('without an event that is sent twice is stored once, and answered the same:', () => {
    const planned = { change: 'plan', callId: 'r.c', tool: TOOL, arguments: {} };
    const WITHOUT: [string, object][] = [
      ['usage', { usage: [{ kind: 'tool', at: 5, durationMs: 1, tool: TOOL, failed: false }] }],
      ['a call moved on', { ledger: [planned, { change: 'move', callId: 'r.c', from: 'planned', to: 'sent' }] }],
      ['a message', message({})],
      ['a question', { interrupts: { opened: [{ interrupt: { ...QUESTION, id: 'r.q' }, mode: 'live' }] } }],
      ['what was said', { taken: ['said'] }],
      ['nothing', {}],
    ];
    test.each(WITHOUT)('%s', async (_what, more) => {
      bench.storage.runs.putInbox(ANNE, 'r', { id: 'said', kind: 'answer', body: {}, at: 5 });
      const first = await commit(more);
      expect(first.status).toBe(200);
      const stored = await everything();
      const second = await commit(more);
      expect([second.status, second.json]).toEqual([200, first.json]);
      expect(await everything()).toEqual(stored);
      // Something else is not taken for it.
      expect((await commit({ ...more, events: [delta('x')] })).status).toBe(400);
      expect(await everything()).toEqual(stored);
      expect((await commit({ number: 2, events: [delta('x')] })).status).toBe(200);
    });

    test('the same two at once', async () => {
      const usage = [{ kind: 'tool', at: 5, durationMs: 1, tool: TOOL, failed: false }];
      const answers = await Promise.all([commit({ usage }), commit({ usage }), commit({ usage })]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(calls()).toMatchObject([{ calls: 1 }]);
    });

    test('the last one, when another tab has taken the run over since', async () => {
      const usage = [{ kind: 'tool', at: 5, durationMs: 1, tool: TOOL, failed: false }];
      const first = await commit({ usage });
      const taken = (await take('tab-2')).json as unknown as { held: HeldRun };
      const again = await commit({ usage });
      expect([again.status, again.json]).toEqual([200, first.json]);
      expect((await commit({ number: 2, usage })).status).toBe(409);
      const { fence, run } = taken.held;
      expect((await commit({ fence, baseSeq: run.lastSeq, usage }, { tab: 'tab-2' })).status).toBe(200);
    });
  });

  test('that ends it is answered the same when it is sent again', async () => {
    const end = event({ type: 'run_finished', status: 'done', usage: {} });
    const sent = { events: [end], status: 'done', release: true, state: state({ status: 'done' }) };
    const [first, second] = [await commit(sent), await commit(sent)];
    expect([second.status, second.json]).toEqual([200, first.json]);
  });

  test('under another fence, or from where the run no longer is, is a conflict', async () => {
    expect((await commit({ events: [delta('a')] })).status).toBe(200);
    const before = await everything();
    for (const fence of [held.fence - 1, held.fence + 1].filter((one) => one > 0)) {
      expect((await commit({ fence, number: 2, baseSeq: 1, events: [delta('x', 2)] })).status).toBe(409);
    }
    expect((await commit({ baseSeq: 0, events: [delta('a'), delta('x', 2)] })).status).toBe(409);
    expect(await everything()).toEqual(before);
  });

  test('of a tab whose run another one took over is a conflict; that one goes on', async () => {
    const taken = (await take('tab-2')).json as unknown as { held: HeldRun };
    expect(taken.held.fence).toBeGreaterThan(held.fence);
    const before = await everything();
    const { lastSeq } = taken.held.run;
    const more = { baseSeq: lastSeq, events: [delta('late', lastSeq + 1)] };
    expect(await commit(more)).toMatchObject({ status: 409, json: { code: 'conflict' } });
    const renewed = await renew('tab-1', held.fence);
    expect(renewed).toMatchObject({ status: 409, json: { detail: expect.stringContaining('Run r ') } });
    expect(await everything()).toEqual(before);
    expect((await commit({ ...more, fence: taken.held.fence }, { tab: 'tab-2' })).status).toBe(200);
  });
});

describe('a beginning', () => {
  const end = async (): Promise<void> => {
    const ended = { events: [event({ type: 'run_finished', status: 'done', usage: {} })], status: 'done' };
    expect((await commit({ ...ended, ...message({}), state: state({ status: 'done' }) })).status).toBe(200);
  };
  const beginAnew = (id: string, messageId: string): Promise<Answer> =>
    post('/api/tabs/tab-1/runs', { v, conversationId: 'c', id, regenerates: messageId });

  test('answers a message anew, beside the answer there is', async () => {
    await end();
    const begun = await beginAnew('r2', answerId);
    expect(begun).toMatchObject({ status: 201, json: { run: { id: 'r2', place: 'browser' }, message: { id: 'r' } } });
    const answers = (await bench.all('c')).filter(({ role }) => role === 'assistant');
    expect(answers.map(({ id, parentId }) => [id, parentId])).toEqual([
      [answerId, 'r'],
      ['r2.0', 'r'],
    ]);
  });

  test('answers only what is an answer anew', async () => {
    await end();
    expect((await beginAnew('r2', 'r')).status).toBe(400);
    expect((await beginAnew('r3', 'nowhere')).status).toBe(404);
  });

  test('that is sent again gives the run it began', async () => {
    await end();
    const [first, second] = [await beginAnew('r2', answerId), await beginAnew('r2', answerId)];
    expect([first.status, second.status]).toEqual([201, 201]);
    const fences = [first, second].map(({ json }) => (json as unknown as HeldRun).fence);
    expect(fences[1]).toBeGreaterThan(fences[0] ?? 0);
    expect(new Set((await bench.all('c')).map(({ id }) => id))).toEqual(new Set(['r', answerId, 'r2.0']));
  });
});

describe('a lease', () => {
  const leaseOf = (id: string) => database.prepare('SELECT lease_until FROM runs WHERE id = ?').get(id);
  const SHORT = { lease_until: 7 };
  beforeEach(() => void database.exec('UPDATE runs SET lease_until = 7'));

  test('is renewed of the run a tab says it is at work on, and of no other', async () => {
    await begin('tab-1', 'r2', 'other');
    database.exec('UPDATE runs SET lease_until = 7');
    expect((await renew('tab-1', held.fence)).status).toBe(200);
    expect(leaseOf('r')).not.toEqual(SHORT);
    expect(leaseOf('r2')).toEqual(SHORT);
  });

  test('is not renewed by who does not hold it', async () => {
    expect((await renew('tab-2', held.fence)).status).toBe(409);
    expect((await renew('tab-1', held.fence + 1)).status).toBe(409);
    expect((await renew('tab-1', held.fence, 'r', door.BERT)).status).toBe(404);
    expect(leaseOf('r')).toEqual(SHORT);
  });
});
