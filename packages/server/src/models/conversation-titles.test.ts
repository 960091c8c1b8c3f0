import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentConfiguration, RunRecord } from '@toolyard/protocol';
import { systemClock } from '@toolyard/protocol';
import type { Storage } from '@toolyard/storage';
import { openStorage } from '@toolyard/storage';
import type { ModelReply, RecordedRequest } from '@toolyard/testing';
import { eventually, reply, startModelServer } from '@toolyard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { apiAt } from '../http/test-fixtures/api-at.ts';
import { startServer } from '../start-server.ts';
import { createConversationTitles } from './conversation-titles.ts';
import type { PresetTaskEvent } from './preset-tasks.ts';

let stack: AsyncDisposableStack;
beforeEach(() => (stack = new AsyncDisposableStack()));
afterEach(() => stack.disposeAsync());

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-titles-'));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const isTitle = ({ text }: RecordedRequest): boolean => text.includes('You name conversations');

/** A whole server whose model answers "Hello." and names conversations by `title`. */
async function open(title: (index: number) => ModelReply | Promise<ModelReply>) {
  let titles = 0;
  const model = stack.use(
    await startModelServer((request) => (isTitle(request) ? title(titles++) : reply.text('Hello.'))),
  );
  const log: string[] = [];
  const server = await startServer({
    dataDir: temporaryFolder(),
    host: '127.0.0.1',
    port: 0,
    token: null,
    ui: false,
    builtInServers: [],
    flagServers: [],
    generatesTitles: true,
    env: { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'k' },
    log: (line) => log.push(line),
  });
  stack.defer(() => server.close());
  const api = apiAt(() => server.url);
  const conversation = (id: string) => api.get('/api/conversations/{id}', { params: { id } });
  return {
    api,
    log,
    conversation,
    requests: () => model.requests.filter(isTitle),
    create: async (body: { title?: string; configuration?: AgentConfiguration } = {}): Promise<string> =>
      (await api.post('/api/conversations', { body })).id,
    send: (id: string, text: string) =>
      api.post('/api/conversations/{id}/messages', {
        params: { id },
        body: { parts: [{ type: 'text', text }] },
      }),
    answered: (id: string, count: number) =>
      eventually(
        async () => {
          const { page, activeRun } = await conversation(id);
          const answers = page.messages.filter(({ role }) => role === 'assistant');
          return activeRun === null && answers.length === count;
        },
        { what: `answer ${count}` },
      ),
    titled: (id: string, text: string) =>
      eventually(async () => (await conversation(id)).title === text, { what: `the title ${text}` }),
  };
}

describe('titles of conversations', () => {
  test('are generated after the first answer, once, by a cheap request', async () => {
    const { create, send, answered, titled, requests, conversation } = await open(() => reply.text('"Flat bread."'));
    const id = await create();
    await send(id, 'my bread is flat');
    await titled(id, 'Flat bread');
    expect(requests()[0]?.body).toMatchObject({ temperature: 0 });
    expect(requests()[0]?.body).not.toHaveProperty('tools');
    await send(id, 'and now?');
    await answered(id, 2);
    expect((await conversation(id)).title).toBe('Flat bread');
    expect(requests()).toHaveLength(1);
  });

  test('never replace the name of a user, given before or while one is generated', async () => {
    const held = Promise.withResolvers<void>();
    const { api, create, send, answered, requests, conversation } = await open(async () => {
      await held.promise;
      return reply.text('Flat bread');
    });
    const named = await create({ title: 'Mine' });
    await send(named, 'hi');
    await answered(named, 1);
    const id = await create();
    await send(id, 'my bread is flat');
    await eventually(() => requests().length === 1, { what: 'the request of the title' });
    await api.patch('/api/conversations/{id}', { params: { id }, body: { title: 'My bread' } });
    held.resolve();
    await send(id, 'and now?');
    await answered(id, 2);
    expect((await conversation(id)).title).toBe('My bread');
    expect((await conversation(named)).title).toBe('Mine');
    expect(requests()).toHaveLength(1);
  });

  test('stay the beginning of the first message if the model fails, and it is not asked again', async () => {
    const { create, send, answered, requests, conversation, log } = await open(() => reply.error(400, 'no titles'));
    const id = await create();
    await send(id, 'my bread is flat');
    await answered(id, 1);
    await eventually(() => requests().length > 0, { what: 'the request of the title' });
    await send(id, 'and now?');
    await answered(id, 2);
    await send(id, 'still?');
    await answered(id, 3);
    expect((await conversation(id)).title).toBe('my bread is flat');
    // A rejected request is repeated in at most two simpler forms.
    expect(requests().length).toBeLessThanOrEqual(3);
    expect(log).toEqual([]);
  });

  test('never delay an answer: the next message cancels the request, and the next answer makes it again', async () => {
    const { create, send, answered, titled, requests } = await open((index) =>
      index === 0 ? { ...reply.text('Flat'), ending: 'silence', writes: [] } : reply.text('Flat bread'),
    );
    const id = await create();
    await send(id, 'my bread is flat');
    await eventually(() => requests().length === 1, { what: 'the request of the title' });
    await send(id, 'and now?');
    await answered(id, 2);
    await eventually(() => requests()[0]?.clientLeft, { what: 'the end of the first request' });
    await titled(id, 'Flat bread');
    expect(requests()).toHaveLength(2);
  });

  test('are not generated if the task is off', async () => {
    const { create, send, answered, requests } = await open(() => reply.text('Flat bread'));
    const id = await create({ configuration: { presetTasks: { title: 'off' } } });
    await send(id, 'hi');
    await answered(id, 1);
    await send(id, 'hi again');
    await answered(id, 2);
    expect(requests()).toEqual([]);
  });
});

describe('the title of one conversation', () => {
  const OWNER = { ownerId: 'anne' };
  const run = { id: 'r', conversationId: 'c', parentRunId: null, ...OWNER } as RunRecord;
  let storage: Storage;

  beforeEach(async () => {
    storage = await openStorage({ folder: temporaryFolder(), clock: systemClock });
    stack.defer(() => storage.close());
    await storage.conversations.create(OWNER, { id: 'c', title: '', at: 1 });
    const lease = { owner: 'p', ms: 60_000 };
    const started = { id: 'r', conversationId: 'c', place: 'server', at: 1, messages: [], title: 'hi', lease } as const;
    storage.runs.createRun(OWNER, started);
    const [ended] = storage.runs.commit([
      { runId: 'r', fence: 1, baseSeq: 0, events: [], status: 'done', durability: 'normal' },
    ]);
    expect(ended).toMatchObject({ outcome: 'committed' });
  });

  /** A process; its model answers once `answer` resolves. */
  function process(answer: Promise<string>) {
    let asked = 0;
    const titles = createConversationTitles({
      storage,
      hub: { changed: () => undefined },
      clock: systemClock,
      log: (line) => expect.unreachable(line),
      tasks: {
        isAvailable: () => Promise.resolve(true),
        run: () => {
          asked += 1;
          return Promise.resolve(async function* (): AsyncGenerator<PresetTaskEvent> {
            yield { event: 'result', data: { task: 'title', value: await answer } };
          });
        },
      },
    });
    return { titles, asked: () => asked };
  }
  const title = async () => (await storage.conversations.get(OWNER, 'c'))?.title;

  test('is generated by one of two processes', async () => {
    const answer = Promise.withResolvers<string>();
    const [one, other] = [process(answer.promise), process(answer.promise)];
    for (const { titles } of [one, other]) titles.afterRun(run, 'done');
    for (const { titles } of [one, other]) titles.afterRun(run, 'done');
    answer.resolve('Greeting');
    await eventually(async () => (await title()) === 'Greeting', { what: 'the title' });
    expect(one.asked() + other.asked()).toBe(1);
  });

  test('is not generated for runs that failed or belong to another run', async () => {
    const { titles, asked } = process(Promise.resolve('Greeting'));
    titles.afterRun(run, 'failed');
    titles.afterRun({ ...run, parentRunId: 'p' }, 'done');
    await titles.close();
    titles.afterRun(run, 'done');
    expect([asked(), await title()]).toEqual([0, 'hi']);
  });
});
