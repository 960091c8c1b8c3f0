import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { JsonValue, RunEvent, SentMessage } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';
import { startServer } from '@toolyard/server';
import type { ModelReply, ModelServer } from '@toolyard/testing';
import { COUNT_FILE_VARIABLE, eventually, reply, scriptedMcpCommand, startModelServer } from '@toolyard/testing';
import { call, readRun } from './support/api.ts';
import { ServerInstances } from './support/server-instances.ts';
import { ask, CONVERSATION, readView } from './support/test-user.ts';
import { LONG_TIMEOUTS, serverOptions } from './support/server-options.ts';
import { malformedHistory } from './support/malformed-history.ts';

let undo = new AsyncDisposableStack();
afterEach(async () => {
  await undo.disposeAsync();
  undo = new AsyncDisposableStack();
});

/** A run in progress: its events so far, and its end. */
type Running = {
  id: string;
  events: RunEvent[];
  over: Promise<unknown>;
  has: (type: RunEvent['type']) => Promise<unknown>;
};
type Scene = { url: string; model: ModelServer; follow: (runId: string, approve?: boolean) => Running };

/** A server whose model gives these answers, then "Fine." to every other request. */
async function openScene(answers: readonly ModelReply[]): Promise<Scene> {
  const model = undo.use(await startModelServer((_request, index) => answers[index] ?? reply.text('Fine.')));
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-history-'));
  undo.defer(() => rmSync(folder, { recursive: true, force: true }));
  const env = { [COUNT_FILE_VARIABLE]: join(folder, 'count') };
  const counter = { id: 'counter', transport: { type: 'stdio' as const, ...scriptedMcpCommand('counting'), env } };
  const options = serverOptions({
    dataDir: join(folder, 'data'),
    servers: [counter],
    env: { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'k' },
  });
  const server = await startServer(options, LONG_TIMEOUTS);
  undo.defer(() => server.close());
  const { url } = server;
  return { url, model, follow: (runId, approve = true) => follow(url, runId, approve) };
}

function follow(url: string, id: string, approve: boolean): Running {
  const events: RunEvent[] = [];
  const over = readRun(url, id, events, (event) => {
    if (event.type !== 'interrupt_requested' || !approve) return;
    const answer = { decision: 'approve', scope: 'once' };
    call(url, 'POST', `/api/interrupts/${encodeURIComponent(event.interrupt.id)}/answer`, { answer }).catch(unlessCut);
  });
  return {
    id,
    events,
    over,
    has: (type) => eventually(() => events.some((event) => event.type === type), { what: type }),
  };
}

/** Sends an answer; a server that crashes because of it may not respond. */
function unlessCut(thrown: unknown): void {
  if (!(thrown instanceof TypeError)) throw thrown;
}

async function stop(url: string, run: Running): Promise<void> {
  await call(url, 'POST', `/api/runs/${run.id}/cancel`, {});
  await run.over;
}

/** Sends another message, and returns the model request for it. */
async function goOn({ url, model, follow }: Scene, runId?: string): Promise<JsonValue[]> {
  const path = `/api/conversations/${CONVERSATION}/messages`;
  const more = { parts: [{ type: 'text', text: 'And now?' }] };
  const sent = runId === undefined ? await call<SentMessage>(url, 'POST', path, more) : { run: { id: runId } };
  if (!('run' in sent)) throw new Error('the message was queued');
  const run = follow(sent.run.id);
  await run.over;
  expect(run.events.at(-1)).toMatchObject({ type: 'run_finished', status: 'done' });
  const chats = model.requests.filter(({ method }) => method === 'POST');
  expect(chats.flatMap(({ body }) => malformedHistory(body))).toEqual([]);
  const body = chats.at(-1)?.body;
  return isJsonObject(body) && Array.isArray(body['messages']) ? body['messages'] : [];
}

const results = (messages: readonly JsonValue[]): JsonValue[] =>
  messages.flatMap((message) =>
    isJsonObject(message) && message['role'] === 'tool' ? [message['content'] ?? ''] : [],
  );

describe('attack 24: a broken history', () => {
  it.each([
    ['one call', ['count-then-hang'], 1],
    ['one of two, the other answered', ['echo', 'count-then-hang'], 2],
  ])('stopped during a tool call (%s): each call has a result', async (_what, names, count) => {
    const scene = await openScene([reply.toolCalls(names.map((name, n) => ({ id: `c${n}`, name, arguments: { n } })))]);
    const run = scene.follow(await ask(scene.url));
    await eventually(() => run.events.filter(({ type }) => type === 'tool_started').length === count);
    if (count === 2) await run.has('tool_finished');
    await stop(scene.url, run);
    const told = results(await goOn(scene));
    expect(told).toHaveLength(count);
    expect(told.at(-1)).toContain('may have been executed');
  });

  it('stopped while it waits for an approval: the call has the result "not executed"', async () => {
    const scene = await openScene([reply.toolCalls([{ name: 'count', arguments: {} }])]);
    const run = scene.follow(await ask(scene.url), false);
    await run.has('run_parked');
    await stop(scene.url, run);
    expect(results(await goOn(scene))).toEqual([expect.stringContaining('Not made')]);
  });

  it('stopped while the model writes a call: the history contains no call', async () => {
    const long = { name: 'echo', arguments: { text: 'x'.repeat(400) } };
    const held = new Promise(() => {});
    const scene = await openScene([
      reply.toolCalls([long], { text: 'Well.', pieces: 4, delayMs: 10, hold: { until: held } }),
    ]);
    const run = scene.follow(await ask(scene.url));
    await run.has('tool_call_started');
    await stop(scene.url, run);
    const messages = await goOn(scene);
    expect(results(messages)).toEqual([]);
    expect(JSON.stringify(messages)).not.toContain('tool_calls');
    expect(JSON.stringify(messages)).toContain('Well.');
  });

  it.each([
    ['in the middle of the arguments', '{"text": "abc', { done: false, finish: null, thenCut: true }],
    ['behind the arguments, before the end', '{"text": "abc"}', { done: false, finish: null, thenCut: true }],
  ])('the model’s server breaks off %s', async (_where, args, options) => {
    const scene = await openScene([reply.toolCalls([{ name: 'echo', arguments: args }], options)]);
    const run = scene.follow(await ask(scene.url));
    await run.over;
    expect(run.events.at(-1)).toMatchObject({ status: 'failed' });
    await goOn(scene);
  });

  it('the MCP server crashes during a call: the call has a result, and the run continues', async () => {
    const scene = await openScene([reply.toolCalls([{ name: 'count-then-exit', arguments: {} }])]);
    const messages = await goOn(scene, await ask(scene.url));
    expect(results(messages)).toHaveLength(1);
  });

  it('interrupted by the next message during a tool call', async () => {
    const scene = await openScene([reply.toolCalls([{ name: 'count-then-hang', arguments: {} }])]);
    const run = scene.follow(await ask(scene.url));
    await run.has('tool_started');
    const next = { id: '0192f0c1-2345-7abc-8def-0123456789ac', parts: [{ type: 'text', text: 'Stop it.' }] };
    const path = `/api/conversations/${CONVERSATION}/messages`;
    await call(scene.url, 'POST', path, { ...next, whenBusy: 'interrupt' });
    await run.over;
    await eventually(() => call(scene.url, 'GET', `/api/runs/${next.id}`).catch(() => null), { what: 'the next run' });
    expect(results(await goOn(scene, next.id))).toHaveLength(1);
  });

  it('assigns duplicate call IDs of a provider to one call each', async () => {
    const echo = (n: number) => ({ id: 'call_1', name: 'echo', arguments: { n } });
    const scene = await openScene([
      reply.toolCalls([echo(1), echo(2)], { withoutIndex: false, whole: true }),
      reply.toolCalls([echo(3)]),
    ]);
    const messages = await goOn(scene, await ask(scene.url));
    expect(results(messages)).toEqual(['{"n":1}', '{"n":2}', '{"n":3}']);
    expect(results(await goOn(scene))).toHaveLength(3);
  });

  it('killed during a tool call, and stopped at the interrupt about it: the call has a result', async () => {
    const lives = undo.use(await ServerInstances.of([1]));
    const first = await lives.start({ place: 'run:sent', hit: 1 });
    const runId = await ask(first.url);
    await follow(first.url, runId, true).over;
    await first.exited();

    const { url } = await lives.startHere();
    await eventually(async () =>
      (await readView(url)).interrupts.some(({ interrupt }) => interrupt.kind === 'in_doubt'),
    );
    const run = follow(url, runId, false);
    await stop(url, run);
    const sent = await call<SentMessage>(url, 'POST', `/api/conversations/${CONVERSATION}/messages`, {
      parts: [{ type: 'text', text: 'And now?' }],
    });
    if (!('run' in sent)) throw new Error('the message was queued');
    await follow(url, sent.run.id, false).over;
    expect(lives.faults).toEqual([]);
    expect((await readView(url)).page.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'user',
      'assistant',
    ]);
    expect(lives.counted).toBe(0);
  });
});
