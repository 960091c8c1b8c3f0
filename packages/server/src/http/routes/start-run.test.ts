import type { JsonObject, RunView, StartedRun } from '@toolyard/protocol';
import { eventually, reply } from '@toolyard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ServerWithModel } from '../test-fixtures/server-with-model.ts';
import { startServerWithModel } from '../test-fixtures/server-with-model.ts';

let server: ServerWithModel;
beforeEach(async () => {
  server = await startServerWithModel();
  for (const id of ['writer', 'clerk']) {
    await server.ask('POST', '/api/agents', { id, title: `Agent ${id}`, configuration: { intervention: 'auto' } });
  }
});
afterEach(() => server.close());

const start = (json: object, more: { as?: string; headers?: object } = {}) =>
  server.ask('POST', '/api/runs', { task: 'Hello', ...json }, more);
const replyWithCalls = (...names: string[]) => reply.toolCalls(names.map((name) => ({ name, arguments: {} })));
const ended = (id: string): Promise<RunView> =>
  eventually(
    async () => {
      const run = (await server.ask('GET', `/api/runs/${id}`)).json as RunView;
      return run.endedAt === null ? null : run;
    },
    { what: `the end of run ${id}` },
  );

describe('POST /api/runs', () => {
  test('waits for the result of an agent, or returns when the run needs the user', async () => {
    const { status, json } = await start({ agentId: 'writer', wait: 30 });
    expect(status).toBe(201);
    expect(json).toMatchObject({
      run: { status: 'done', agentId: 'writer' },
      result: { status: 'done', text: 'Hello to you.' },
    });
    server.replies.push(replyWithCalls('left__which'));
    const parked = await start({ wait: 60, configuration: { intervention: 'manual' } });
    expect([parked.status, parked.json]).toMatchObject([202, { run: { status: 'parked' } }]);
    expect(parked.json).not.toHaveProperty('result');
  });

  test('streams the events of the run', async () => {
    const { headers, text } = await start({ stream: true });
    expect(headers.get('content-type')).toBe('text/event-stream');
    expect(text).toContain('"type":"run_started"');
    expect(text).toMatch(/event: end\ndata: \{\}\n\n$/);
    for (const more of [{ parts: [{ type: 'text', text: 'x' }] }, { wait: 1, stream: true }, { wait: 301 }]) {
      expect((await start(more)).status).toBe(400);
    }
  });

  test('starts one run for an Idempotency-Key, also for concurrent requests', async () => {
    const headers = { 'idempotency-key': 'order-17' };
    const answers = await Promise.all([1, 2, 3, 4].map((wait) => start({ agentId: 'writer', wait }, { headers })));
    const ids = answers.map(({ json }) => (json as StartedRun).run.id);
    expect(new Set(ids).size).toBe(1);
    await ended(ids[0] ?? '');
    const other = await start({ agentId: 'clerk' }, { headers });
    expect([other.status, other.json]).toMatchObject([422, { code: 'bad_request' }]);
    expect((await server.ask('GET', '/api/runs')).json).toMatchObject({ items: [{ id: ids[0] }] });
    expect(server.asked()).toHaveLength(1);
    const failed = await start({ agentId: 'ghost' }, { headers: { 'idempotency-key': 'order-18' } });
    expect(failed.status).toBe(404);
    expect((await start({}, { headers: { 'idempotency-key': 'order-18' } })).status).toBe(201);
    expect((await start({}, { headers: { 'idempotency-key': 'with space' } })).status).toBe(400);
  });
});

describe('an API key with limits', () => {
  test('starts runs of its agents, and sees nothing else', async () => {
    const { key } = await server.createKey({ agents: ['writer'] });
    const others = (await start({ agentId: 'clerk', wait: 30 })).json as StartedRun;
    await server.ask('POST', '/api/conversations', { id: 'of-the-user' });
    const said = { parts: [{ type: 'text', text: 'A secret' }] };
    await server.ask('POST', '/api/conversations/of-the-user/messages', said);
    const own = (await start({ wait: 30 }, { as: key })).json as StartedRun;
    expect(own).toMatchObject({ run: { agentId: 'writer', status: 'done' } });
    expect((await start({ agentId: 'clerk' }, { as: key })).json).toMatchObject({
      status: 403,
      detail: 'This API key is not allowed to use the agent "clerk".',
    });
    expect((await start({ configuration: {} }, { as: key })).status).toBe(403);
    expect((await start({ conversationId: others.run.conversationId }, { as: key })).status).toBe(404);
    for (const id of [others.run.id, 'of-the-user']) {
      expect([id, (await start({ id, wait: 5 }, { as: key })).status]).toEqual([id, 409]);
    }
    const next = await start({ conversationId: own.run.conversationId, wait: 30 }, { as: key });
    expect(next.json).toMatchObject({ result: { text: 'Hello to you.' } });
    const list = (await server.ask('GET', '/api/runs', undefined, { as: key })).json as { items: RunView[] };
    expect(list.items.map(({ id }) => id)).toEqual([(next.json as StartedRun).run.id, own.run.id]);
    const requestStatus = async (path: string) => (await server.ask('GET', path, undefined, { as: key })).status;
    const paths = ({ run }: StartedRun) => [
      `/api/runs/${run.id}`,
      `/api/runs/${run.id}/steps`,
      `/api/conversations/${run.conversationId}`,
    ];
    for (const path of paths(own)) expect([path, await requestStatus(path)]).toEqual([path, 200]);
    for (const path of paths(others)) expect([path, await requestStatus(path)]).toEqual([path, 404]);
    for (const path of ['/api/conversations', '/api/agents', '/api/events', '/api/interrupts', '/api/mcp/servers']) {
      expect([path, await requestStatus(path)]).toEqual([path, 403]);
    }
    expect((await server.createKey({ agents: ['writer'] }, ['settings'])).key).toBeUndefined();
  });

  test('offers and makes calls of its tools only, also if a rule allows others', async () => {
    const { key } = await server.createKey({ tools: ['left/*'] });
    server.replies.push(replyWithCalls('left__which', 'right__which'));
    const { run } = (await start({ agentId: 'writer', wait: 30 }, { as: key })).json as StartedRun;
    const { json } = await server.ask('GET', `/api/runs/${run.id}/steps`, undefined, { as: key });
    expect(JSON.stringify(json)).toContain('I am left.');
    expect(JSON.stringify(json)).not.toContain('I am right.');
    expect(JSON.stringify(server.asked()[0]?.body)).not.toContain('right__which');
  });

  test('sends no stored file, in no part of any body, whether it exists or not', async () => {
    const upload = { method: 'POST', headers: { 'content-type': 'image/png', ...server.headers }, body: 'secret' };
    const { sha256 } = (await (await fetch(`${server.url}/api/files`, upload)).json()) as { sha256: string };
    const { key } = await server.createKey({ tools: ['left/*'] }, ['read', 'write', 'approve', 'answer']);
    server.replies.push(replyWithCalls('left__which'));
    const { run } = (await start({ wait: 30 }, { as: key })).json as StartedRun;
    const waiting = (await server.ask('GET', `/api/interrupts?run=${run.id}`)).json as { items: { id: string }[] };
    const answerPath = `/api/interrupts/${waiting.items[0]?.id ?? ''}/answer`;
    const contents = (blob: string): JsonObject[] => [
      { type: 'image', mimeType: 'image/png', source: { blob } },
      { type: 'audio', mimeType: 'audio/wav', source: { blob } },
      { type: 'resource', uri: 'a:b', source: { blob } },
    ];
    const asPrompt = (content: JsonObject) => {
      return { type: 'prompt', serverId: 'left', name: 'p', arguments: {}, messages: [{ role: 'user', content }] };
    };
    const asResult = (content: JsonObject) => {
      const result = { content: [content], isError: false, outcome: 'done' };
      return { answer: { decision: 'result', text: 'x', result } };
    };
    for (const blob of [sha256, 'f'.repeat(64)]) {
      const file = { type: 'file', mimeType: 'text/plain', source: { blob } };
      const parts = [...contents(blob), file, ...contents(blob).map(asPrompt)];
      const bodies: [string, object][] = [
        ...parts.map((part): [string, object] => ['/api/runs', { parts: [{ type: 'text', text: 'x' }, part] }]),
        ...contents(blob).map((content): [string, object] => [answerPath, asResult(content)]),
      ];
      for (const [path, body] of bodies) {
        const { status, json } = await server.ask('POST', path, body, { as: key });
        expect([path, body, status, json]).toMatchObject([
          path,
          body,
          403,
          { detail: 'This API key has limits: it cannot send stored files.' },
        ]);
      }
    }
    const inline = { type: 'image', mimeType: 'image/png', source: { data: 'AAAA' } };
    expect((await server.ask('POST', '/api/runs', { parts: [inline] }, { as: key })).status).toBe(201);
    const owners = { parts: [{ type: 'image', mimeType: 'image/png', source: { blob: sha256 } }] };
    expect((await server.ask('POST', '/api/runs', owners)).status).toBe(201);
  });

  test('is limited in runs and calls per day', async () => {
    const often = await server.createKey({ rate: { perDay: 2 } });
    const headers = { 'idempotency-key': 'again' };
    // They have taken their replies of the model before the next one is added.
    for (let each = 0; each < 3; each++)
      expect((await start({ wait: 30 }, { as: often.key, headers })).status).toBe(201);
    expect((await start({ wait: 30 }, { as: often.key })).status).toBe(201);
    const over = await start({}, { as: often.key });
    expect([over.status, over.json]).toMatchObject([
      429,
      { detail: 'This API key may start 2 runs per day.', code: 'rate_limited' },
    ]);
    expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0);
    const poor = await server.createKey({ budget: { day: { calls: 1 } } });
    server.replies.push(replyWithCalls('left__which'));
    const { json } = await start({ agentId: 'writer', wait: 30 }, { as: poor.key });
    const message = 'The daily budget of the API key "Program" is used up: 1 call of 1 call.';
    expect(json).toMatchObject({ result: { status: 'failed', error: { code: 'budget_exceeded', message } } });
    // No message of the conversation says it.
    const { run } = json as StartedRun;
    const conversation = await server.ask('GET', `/api/conversations/${run.conversationId}`);
    expect(conversation.json).toMatchObject({
      activeRun: null,
      ended: { runId: run.id, status: 'failed', error: { code: 'budget_exceeded', message } },
    });
    expect((await start({}, { as: poor.key })).json).toMatchObject({ status: 402, detail: message });
  });

  test('parks a run at its budget, which only the user can raise', async () => {
    const { key } = await server.createKey({ budget: { run: { calls: 1 } } });
    server.replies.push(replyWithCalls('left__which'));
    const { json } = await start({ agentId: 'writer', wait: 30 }, { as: key });
    const { run } = json as StartedRun;
    expect(run.status).toBe('parked');
    const { items } = (await server.ask('GET', `/api/interrupts?run=${run.id}`, undefined, { as: key })).json as {
      items: { id: string; interrupt: { kind: string } }[];
    };
    expect(items).toMatchObject([{ interrupt: { kind: 'budget' } }]);
    const raise = { answer: { decision: 'raise', limit: 5 } };
    const path = `/api/interrupts/${items[0]?.id ?? ''}/answer`;
    expect((await server.ask('POST', path, raise, { as: key })).status).toBe(403);
    expect((await server.ask('POST', path, raise)).status).toBe(200);
    expect(await ended(run.id)).toMatchObject({ status: 'done' });
  });

  test('a run whose key is revoked makes no further call, and says why', async () => {
    const { key, id } = await server.createKey(undefined, ['read', 'write']);
    const release = Promise.withResolvers<void>();
    server.replies.push({ ...replyWithCalls('left__which'), hold: { until: release.promise, talking: false } });
    const { run } = (await start({ agentId: 'writer' }, { as: key })).json as StartedRun;
    await eventually(() => server.asked().length === 1, { what: 'the model request' });
    expect((await server.ask('DELETE', `/api/access/keys/${id}`)).status).toBe(204);
    release.resolve();
    expect(await ended(run.id)).toMatchObject({ status: 'failed', startedBy: `key:${id}` });
    const steps = (await server.ask('GET', `/api/runs/${run.id}/steps`)).json;
    expect(steps).toMatchObject({
      error: { message: 'The API key "Program", which started this run, was revoked.' },
    });
    expect(JSON.stringify(steps)).not.toContain('I am left.');
  });
});
