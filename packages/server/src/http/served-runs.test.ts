import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ASK_USER_TOOLS, tool } from '@toolyard/agent-host';
import type { LiveEvent, Message, RunEvent } from '@toolyard/protocol';
import type { ModelReply } from '@toolyard/testing';
import { eventually, reply, startModelServer, startScriptedMcp, within } from '@toolyard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startServer } from '../start-server.ts';
import { apiAt } from './test-fixtures/api-at.ts';

// Tests the routes that start and follow runs against a whole server; its model and MCP servers are on real sockets.

const HELLO = { parts: [{ type: 'text' as const, text: 'Hello' }] };
const APPROVED = { ...HELLO, configuration: { intervention: 'auto' as const } };

let stack: AsyncDisposableStack;
let replies: ModelReply[];
let model: Awaited<ReturnType<typeof startModelServer>>;
let url: string;

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  replies = [];
  model = stack.use(await startModelServer(() => replies.shift() ?? reply.text('Hello to you.', { pieces: 3 })));
  const removed = stack.use(await startScriptedMcp(serverWhich('left')));
  const right = stack.use(await startScriptedMcp(serverWhich('right')));
  const dataDir = mkdtempSync(join(tmpdir(), 'toolyard-served-'));
  stack.defer(() => rmSync(dataDir, { recursive: true, force: true }));
  const server = await startServer({
    dataDir,
    databaseNotify: true,
    host: '127.0.0.1',
    port: 0,
    token: null,
    allowHosts: [],
    ui: false,
    uiSettings: {},
    uiMcpProxy: false,
    metrics: false,
    builtInServers: [],
    functionTools: [{ id: 'here', tools: [functionWhich] }, ASK_USER_TOOLS],
    flagServers: [
      { id: 'left', transport: { type: 'http', url: removed.url } },
      { id: 'right', transport: { type: 'http', url: right.url } },
    ],
    env: { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'k' },
    log: () => {},
  });
  stack.defer(() => server.close());
  ({ url } = server);
});
afterEach(() => stack.disposeAsync());

const serverWhich = (id: string) => ({
  tools: [{ name: 'which', does: [{ do: 'text' as const, text: `I am ${id}.` }] }],
});

const functionWhich = tool({
  name: 'which',
  description: 'Tells where it is executed.',
  inputSchema: { type: 'object' },
  annotations: { readOnly: true, openWorld: false },
  execute: (_args, { run }) => Promise.resolve(`I am executed in place, in run ${run}.`),
});

const api = apiAt(() => url);

type Frame = { id: string | undefined; event: string; data: unknown };

/** Reads an event stream to its end, or until `isLast` accepts a frame. */
function read(path: string, headers: Record<string, string>, isLast?: (frame: Frame) => boolean): Promise<Frame[]> {
  return within(readFrames(path, headers, isLast), { what: `the end of ${path}` });
}

async function readFrames(
  path: string,
  headers: Record<string, string>,
  isLast = (_: Frame) => false,
): Promise<Frame[]> {
  const response = await fetch(`${url}${path}`, { headers });
  const body: AsyncIterable<Uint8Array> | null = response.body;
  const frames: Frame[] = [];
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    const found = blocks.filter((block) => block.includes('data: ')).map(readFrame);
    frames.push(...found);
    if (found.some(isLast)) break;
  }
  return frames;
}

function readFrame(block: string): Frame {
  const field = (name: string): string | undefined => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
  return { id: field('id'), event: field('event') ?? '', data: JSON.parse(field('data') ?? 'null') };
}

/** The events of a run after `lastEventId`. */
async function readEvents(runId: string, lastEventId = '0'): Promise<RunEvent[]> {
  const frames = await read(`/api/runs/${runId}/events`, { 'last-event-id': lastEventId });
  return frames.filter(({ event }) => event === 'run').map(({ data }) => data as RunEvent);
}

const getText = (message: Message | undefined): string =>
  (message?.parts ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('');

describe('POST /api/conversations/{id}/messages', () => {
  test('answers the message with the model, and starts no second run for the same id', async () => {
    await api.post('/api/conversations', { body: { id: 'c' } });
    const request = { params: { id: 'c' }, body: { id: '0192f0c1-2345-7abc-8def-0123456789ab', ...HELLO } };
    const sent = await api.post('/api/conversations/{id}/messages', request);
    if (!('run' in sent)) throw new Error('the message was queued');
    expect(sent.message).toMatchObject({ ...request.body, role: 'user' });
    const events = await readEvents(sent.run.id);
    expect(events.at(-1)).toMatchObject({ type: 'run_finished', status: 'done' });
    const again = await api.post('/api/conversations/{id}/messages', request);
    expect(again).toMatchObject({ run: { id: sent.run.id, status: 'done' }, message: { id: sent.message.id } });
    const { page } = await api.get('/api/conversations/{id}', { params: { id: 'c' } });
    expect(page.messages.map(getText)).toEqual(['Hello', 'Hello to you.']);
    const requests = model.requests.filter(({ method }) => method === 'POST');
    expect(requests.map(({ body }) => body)).toMatchObject([{ messages: [{ role: 'user', content: 'Hello' }] }]);
  });
});

describe('the events of a run', () => {
  test('are streamed during the run, by GET /api/runs/{id}/events and GET /api/events alike', async () => {
    const release = Promise.withResolvers<void>();
    replies.push(reply.text('Well, hello.', { pieces: 2, hold: { until: release.promise, talking: false } }));
    const all = read('/api/events', {}, ({ data }) => {
      const live = data as LiveEvent;
      return live.type === 'run' && live.event.type === 'run_finished';
    });
    const { run } = await api.post('/api/runs', { body: HELLO });
    const events = readEvents(run.id);
    const isAsked = () => model.requests.some(({ method }) => method === 'POST');
    await eventually(isAsked, { what: 'the model request' });
    release.resolve();
    const ofRun = await events;
    expect(ofRun.map(({ seq }) => seq)).toEqual(ofRun.map((_event, index) => index + 1));
    expect(ofRun.map((event) => (event.type === 'text_delta' ? event.text : '')).join('')).toBe('Well, hello.');
    const ofAll = (await all).map(({ data }) => data as LiveEvent).filter((live) => live.type === 'run');
    expect(ofAll.map(({ event }) => event)).toEqual(ofRun);
  });

  test('continue after Last-Event-ID', async () => {
    const { run } = await api.post('/api/runs', { body: HELLO });
    const events = await readEvents(run.id);
    expect(await readEvents(run.id, '3')).toEqual(events.slice(3));
  });
});

describe('POST /api/runs', () => {
  test('starts a run that is listed with its result', async () => {
    const { run } = await api.post('/api/runs', { body: { ...HELLO, title: 'Greeting' } });
    await readEvents(run.id);
    const { items } = await api.get('/api/runs');
    expect(items).toMatchObject([{ id: run.id, conversationId: run.conversationId, status: 'done' }]);
    const conversation = await api.get('/api/conversations/{id}', { params: { id: run.conversationId } });
    expect(conversation).toMatchObject({
      title: 'Greeting',
      page: { messages: [{ role: 'user' }, { role: 'assistant' }] },
    });
  });

  test('executes each call where its tool is: functions in this process, others by their MCP servers', async () => {
    const names = ['right__which', 'here__which', 'left__which'];
    replies.push(reply.toolCalls(names.map((name) => ({ name, arguments: {} }))));
    const { run } = await api.post('/api/runs', { body: APPROVED });
    const finished = (await readEvents(run.id)).filter((event) => event.type === 'tool_finished');
    const texts = finished.map(({ message, result }) => [message.tool?.serverId, result.content]);
    expect(Object.fromEntries(texts)).toEqual({
      right: [{ type: 'text', text: 'I am right.' }],
      here: [{ type: 'text', text: `I am executed in place, in run ${run.id}.` }],
      left: [{ type: 'text', text: 'I am left.' }],
    });
  });

  test('executes ask_user: the run waits for the answer, which becomes the result of the call', async () => {
    replies.push(
      reply.toolCalls([{ name: 'ask_user', arguments: { question: 'Which city?' } }]),
      reply.text('Bern it is.'),
    );
    const { run } = await api.post('/api/runs', { body: HELLO });
    const asked = await eventually(async () => (await api.get('/api/interrupts')).items[0], {
      what: 'the interrupt',
    });
    expect(asked.interrupt).toMatchObject({ kind: 'prompt', question: 'Which city?' });
    await api.post('/api/interrupts/{id}/answer', {
      params: { id: asked.id },
      body: { answer: { decision: 'say', text: 'Bern' } },
    });
    const events = await readEvents(run.id);
    const [finished] = events.filter((event) => event.type === 'tool_finished');
    expect(finished?.result.content).toEqual([{ type: 'text', text: 'Bern' }]);
    expect(events.at(-1)).toMatchObject({ type: 'run_finished', status: 'done' });
  });
});
