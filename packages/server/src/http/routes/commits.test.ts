import { createHash } from 'node:crypto';
import type { LeasedTabRun } from '@toolyard/protocol';
import { canonicalJson, TAB_RUNS_VERSION as v } from '@toolyard/protocol';
import { StorageError } from '@toolyard/storage';
import { describe, expect, test, vi } from 'vitest';
import { ANNE } from '../../runs/test-fixtures/setup.ts';
import {
  answerId,
  began,
  calling,
  delta,
  event,
  message,
  APPROVAL,
  TOOL,
  useTabScene,
} from '../test-fixtures/tab-runs.ts';
import * as testServer from '../test-fixtures/test-server.ts';

const { scene, post, renew, offer, take, commit, state, calls, everything } = useTabScene();

describe('a commit', () => {
  test('that is sent twice is stored once, with the same response', async () => {
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
    expect(scene.bench.events('r')).toHaveLength(2);
  });

  test('stores the inputs of its requests, so that the model requests can be shown', async () => {
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
    const received: unknown[] = [];
    const { hub, storage } = scene.bench;
    hub.listen(ANNE.ownerId, { receive: (events) => received.push(...events), missed: () => undefined });
    // The storage fails after the commit: the tab sends it again, and subscribers were notified once.
    const away = new StorageError('unreachable', { message: 'The database cannot be reached.' });
    vi.spyOn(storage.requestPreludes, 'put').mockRejectedValueOnce(away);
    expect((await commit(sent)).status).toBe(503);
    expect((await commit(sent)).status).toBe(200);
    expect(received).toMatchObject([{ type: 'run', event: { type: 'request_made' } }]);
    const shown = await scene.server.ask('/api/runs/r/steps/0/request', { headers: testServer.as(testServer.ANNE) });
    expect(shown.status).toBe(200);
    expect(shown.json).toMatchObject({ tools: prelude.tools, messages: [{ role: 'system' }, { role: 'user' }] });
    expect(JSON.stringify(shown.json)).toContain('Write plainly.');
  });

  test('of a page of another version is rejected with an explanation, and another tab continues the run', async () => {
    const before = await everything();
    for (const [name, reference] of [
      [undefined, 'older'],
      [v - 1, 'older'],
      [v + 1, 'newer'],
    ] as const) {
      const wrong = {
        json: { code: 'outdated_page', detail: `This page is ${reference} than the server.` },
        status: 400,
      };
      const older = { fence: scene.held.fence, baseSeq: 0, events: [delta('a')], ...(name ? { v: name } : {}) };
      expect(await post('/api/tabs/tab-1/runs/r/commit', older)).toMatchObject(wrong);
      expect(await post('/api/tabs/tab-1/runs/r/claim', { ...(name ? { v: name } : {}) })).toMatchObject(wrong);
    }
    expect(await everything()).toEqual(before);
    expect(await take('tab-2')).toMatchObject({ status: 200, json: { held: { run: { id: 'r' } } } });
  });

  test('that starts the run contains the user message as sent', async () => {
    expect((await commit({ events: [began(scene.held.message)] })).status).toBe(200);
  });

  describe('without an event that is sent twice is stored once, with the same response:', () => {
    const planned = { change: 'plan', callId: 'r.c', tool: TOOL, arguments: {} };
    const WITHOUT: [string, object][] = [
      ['usage', { usage: [{ kind: 'tool', at: 5, durationMs: 1, tool: TOOL, failed: false }] }],
      ['a call state', { ledger: [planned, { change: 'move', callId: 'r.c', from: 'planned', to: 'sent' }] }],
      ['a message', message({})],
      [
        'an interrupt',
        { ...calling(), interrupts: { opened: [{ interrupt: { ...APPROVAL, id: 'r.q' }, mode: 'live' }] } },
      ],
      ['a steering message', { taken: ['said'] }],
      ['nothing', {}],
    ];
    test.each(WITHOUT)('%s', async (_what, more) => {
      scene.bench.storage.runs.putInbox(ANNE, 'r', { id: 'said', kind: 'answer', body: {}, at: 5 });
      await offer();
      const first = await commit(more);
      expect(first.status).toBe(200);
      const stored = await everything();
      const second = await commit(more);
      expect([second.status, second.json]).toEqual([200, first.json]);
      expect(await everything()).toEqual(stored);
      // A different commit is not mistaken for the repeated one.
      expect((await commit({ ...more, events: [delta('x')] })).status).toBe(400);
      expect(await everything()).toEqual(stored);
      expect((await commit({ number: 2, events: [delta('x')] })).status).toBe(200);
    });

    test('two identical ones in parallel', async () => {
      const usage = [{ kind: 'tool', at: 5, durationMs: 1, tool: TOOL, failed: false }];
      const answers = await Promise.all([commit({ usage }), commit({ usage }), commit({ usage })]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(calls()).toMatchObject([{ calls: 1 }]);
    });

    test('the last one, after another tab claimed the run', async () => {
      const usage = [{ kind: 'tool', at: 5, durationMs: 1, tool: TOOL, failed: false }];
      const first = await commit({ usage });
      const taken = (await take('tab-2')).json as unknown as { held: LeasedTabRun };
      const again = await commit({ usage });
      expect([again.status, again.json]).toEqual([200, first.json]);
      expect((await commit({ number: 2, usage })).status).toBe(409);
      const { fence, run } = taken.held;
      expect((await commit({ fence, baseSeq: run.lastSeq, usage }, { tab: 'tab-2' })).status).toBe(200);
    });
  });

  test('that ends the run returns the same response when sent again', async () => {
    const end = event({ type: 'run_finished', status: 'done', usage: {} });
    const sent = { events: [end], status: 'done', release: true, state: state({ status: 'done' }) };
    const [first, second] = [await commit(sent), await commit(sent)];
    expect([second.status, second.json]).toEqual([200, first.json]);
  });

  test('with another fence or an outdated position is a conflict', async () => {
    expect((await commit({ events: [delta('a')] })).status).toBe(200);
    const before = await everything();
    for (const fence of [scene.held.fence - 1, scene.held.fence + 1].filter((one) => one > 0)) {
      expect((await commit({ fence, number: 2, baseSeq: 1, events: [delta('x', 2)] })).status).toBe(409);
    }
    expect((await commit({ baseSeq: 0, events: [delta('a'), delta('x', 2)] })).status).toBe(409);
    expect(await everything()).toEqual(before);
  });

  test('of a tab whose run another tab claimed is a conflict; the other tab continues', async () => {
    const taken = (await take('tab-2')).json as unknown as { held: LeasedTabRun };
    expect(taken.held.fence).toBeGreaterThan(scene.held.fence);
    const before = await everything();
    const { lastSeq } = taken.held.run;
    const more = { baseSeq: lastSeq, events: [delta('late', lastSeq + 1)] };
    expect(await commit(more)).toMatchObject({ status: 409, json: { code: 'conflict' } });
    const renewed = await renew('tab-1', scene.held.fence);
    expect(renewed).toMatchObject({ status: 409, json: { detail: expect.stringContaining('have run r ') } });
    expect(await everything()).toEqual(before);
    expect((await commit({ ...more, fence: taken.held.fence }, { tab: 'tab-2' })).status).toBe(200);
  });
});
