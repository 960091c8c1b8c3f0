import { describe, expect, test } from 'vitest';
import { ANNE, BERT } from '../runs/test-fixtures/setup.ts';
import { answerId, began, delta, event, message, APPROVAL, TOOL, useTabScene } from './test-fixtures/tab-runs.ts';
import * as testServer from './test-fixtures/test-server.ts';

const { scene, commit, state, everything } = useTabScene();

const RAISED = { decision: 'raise', limit: 99 };

describe('rejects a commit of a tab without changing anything', () => {
  const REFUSED: [string, () => object][] = [
    ['with a gap in its events', () => ({ events: [delta('a'), delta('b', 3)] })],
    ['with an event of another run', () => ({ events: [{ ...delta('a'), runId: 'x' }] })],
    ['with an event about a message of another run', () => ({ events: [{ ...delta('a'), messageId: 'x.0' }] })],
    [
      'with a request for a message of another run',
      () => ({
        events: [event({ type: 'attempt_abandoned', messageId: 'r' })],
      }),
    ],
    [
      'with a steering message the user did not send',
      () => ({
        events: [event({ type: 'steered', message: { ...scene.held.message, id: 'r.u' } })],
      }),
    ],
    [
      'with another start',
      () => ({
        events: [
          event({
            type: 'run_started',
            conversationId: 'other',
            place: 'browser',
            model: 'm',
            message: scene.held.message,
          }),
        ],
      }),
    ],
    [
      'with the end of an interrupt of another run',
      () => ({
        events: [event({ type: 'interrupt_withdrawn', interruptId: 'x.1' })],
      }),
    ],
    ['with a message whose id is not derived from the run', () => message({ id: 'x.1' })],
    ['with the user message replaced', () => message({ id: 'r', parentId: null })],
    ['with a message in another conversation', () => message({}, 'other')],
    ['with a message in a conversation of another user', () => message({}, 'of-bert')],
    ['with a message of another run', () => message({ runId: 'x' })],
    ['with a message after a missing one', () => message({ id: 'r.9', parentId: 'nowhere' })],
    [
      'with a user message',
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
      'with instructions of another run',
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
      'with model inputs under a wrong hash',
      () => ({
        preludes: [{ id: 'a'.repeat(64), prelude: { instructions: 'Forged', serverInstructions: [], tools: [] } }],
      }),
    ],
    ['with a leaf of another run', () => ({ leaf: { from: answerId, to: 'r' } })],
    [
      'with a call of another run',
      () => ({
        ledger: [{ change: 'plan', callId: 'x.c', tool: TOOL, arguments: {} }],
      }),
    ],
    [
      'with a call that returns before it was sent',
      () => ({
        ledger: [
          { change: 'plan', callId: 'r.c', tool: TOOL, arguments: {} },
          { change: 'move', callId: 'r.c', from: 'planned', to: 'done' },
        ],
      }),
    ],
    [
      'with the state of a missing call',
      () => ({
        ledger: [{ change: 'move', callId: 'r.c', from: 'sent', to: 'done' }],
      }),
    ],
    [
      'with an interrupt of another run',
      () => ({
        interrupts: { opened: [{ interrupt: { ...APPROVAL, id: 'x.1' }, mode: 'parked' }] },
      }),
    ],
    [
      'with an answer to its own interrupt',
      () => ({
        interrupts: {
          opened: [{ interrupt: { ...APPROVAL, id: 'r.q' }, mode: 'parked' }],
          answered: [{ id: 'r.q', answer: { decision: 'approve', scope: 'always' } }],
        },
      }),
    ],
    ['with a raised budget', () => ({ interrupts: { answered: [{ id: 'r.q', answer: RAISED }] } })],
    ['with a withdrawn interrupt of another run', () => ({ interrupts: { withdrawn: ['x.1'] } })],
    ['with the state of another run', () => ({ state: state({ runId: 'x' }) })],
    ['with the state of another conversation', () => ({ state: state({ conversationId: 'other' }) })],
    ['with a state of a newer version', () => ({ state: state({ schemaVersion: 99 }) })],
    ['with a state without a valid leaf', () => ({ state: state({}, { leafId: 7 }) })],
    ['with an end but no state', () => ({ status: 'done' })],
    ['with an end that its state does not contain', () => ({ status: 'done', state: state({ status: 'failed' }) })],
    ['with the status queued', () => ({ status: 'queued', state: state({}) })],
    ['with the status waiting_for_tab', () => ({ status: 'waiting_for_tab', state: state({}) })],
    [
      'with usage of a model',
      () => ({
        usage: [{ kind: 'model', at: 5, durationMs: 1, providerId: 'p', modelId: 'm', usage: null, cost: -5 }],
      }),
    ],
    ['with an inbox item that does not exist', () => ({ events: [delta('a')], taken: ['cancel'] })],
    ['with a deleted queued message', () => ({ unqueued: ['q'] })],
    [
      'with a message the user did not send',
      () => ({ events: [began({ ...scene.held.message, parts: [{ type: 'text', text: 'Forged' }] })] }),
    ],
    ['with the user message under another id', () => ({ events: [began({ ...scene.held.message, id: 'x' })] })],
    ['out of order', () => ({ number: 2, events: [delta('a')] })],
    ['with too many events', () => ({ events: Array.from({ length: 10_001 }, (_, at) => delta('a', at + 1)) })],
  ];

  test.each(REFUSED)('%s', async (_what, made) => {
    const before = await everything();
    const answer = await commit(made());
    expect(answer).toMatchObject({ status: 400, json: { code: 'bad_request' } });
    expect((answer.json as { detail: string }).detail).toMatch(
      /^(A tab may write only to its own run|The commit was not stored: |.* in the body |The body )./,
    );
    expect(await everything()).toEqual(before);
  });

  test('with a file of another user', async () => {
    const theirs = await scene.bench.storage.blobs.put(BERT, Buffer.from('x'), { mimeType: 'image/png', at: 5 });
    const ours = await scene.bench.storage.blobs.put(ANNE, Buffer.from('y'), { mimeType: 'image/png', at: 5 });
    const showing = ({ sha256 }: { sha256: string }): object =>
      message({ parts: [{ type: 'image', mimeType: 'image/png', source: { blob: sha256 } }] });
    const before = await everything();
    expect((await commit(showing(theirs))).status).toBe(400);
    expect(await everything()).toEqual(before);
    expect((await commit(showing(ours))).status).toBe(200);
  });

  test('above the size limit', async () => {
    const before = await everything();
    const answer = await commit({ events: [delta('x'.repeat(33 * 1_024 * 1_024))] }).catch(() => null);
    // The connection may close before everything was sent.
    if (answer) expect(answer.status).toBe(413);
    expect(await everything()).toEqual(before);
  });

  test('of another user, or for a run of the server', async () => {
    const before = await everything();
    expect((await commit({ events: [delta('a')] }, { who: testServer.BERT })).status).toBe(404);
    expect(await everything()).toEqual(before);
    const onServer = await scene.bench.ask('other', 'Hi');
    expect((await commit({}, { run: onServer })).status).toBe(404);
  });

  test('after the end of the run', async () => {
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
