import { flushSync } from 'svelte';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ConversationView, LiveEvent, RunEvent } from '@toolyard/protocol';
import { ApiError } from '../../api/error.ts';
import { createTestApi, type TestCall } from '../../api/test-fixtures/test-api.ts';
import { assistantMessage, createEvents, run, userMessage, view } from '../../transcript/test-fixtures/test-events.ts';
import { ChatStore } from './chat-store.svelte.ts';

type Answer = (call: TestCall) => unknown;
type Change = Extract<LiveEvent, { type: 'changed' }>;

const HELLO = [{ type: 'text', text: 'Hello' }] as const;
const USER_MESSAGE = userMessage('u1', 'Hello');
const ANSWER = assistantMessage('r1.0', [{ type: 'text', text: 'Hi.' }]);

/** A store with a server that responds as `answer` says. */
function chatOver(answer: Answer) {
  const calls: TestCall[] = [];
  const visited: string[] = [];
  const listeners = { run: (_: RunEvent) => {}, changed: (_: Change) => {}, hello: () => {} };
  let ids = 0;
  const chat = new ChatStore({
    api: createTestApi((call) => {
      calls.push(call);
      return answer(call);
    }),
    live: {
      onRun: (listener) => ((listeners.run = listener), () => {}),
      onChanged: (listener) => ((listeners.changed = listener), () => {}),
      onHello: (listener) => ((listeners.hello = () => listener({ type: 'hello', boot: '', version: '' })), () => {}),
    },

    readRun: async function* () {},
    soon: (work) => work(),
    goTo: async (id) => void visited.push(id),
    newId: () => `id${String((ids += 1))}`,
    announceTools: () => Promise.resolve(),
    startInTab: () => Promise.resolve(null),
    now: () => 1,
  });
  const shown = () =>
    Array.from({ length: chat.rows.length }, (_, index) => chat.rows.at(index)).map((row) =>
      row?.kind === 'user' && row.sending ? 'user…' : row?.kind,
    );
  return { chat, calls, visited, listeners, shown };
}

const started = (messageId: string, conversationId: string) =>
  createEvents('r1', [
    {
      type: 'run_started',
      conversationId,
      place: 'server',
      model: 'demo',
      message: { ...userMessage(messageId, 'Hello'), createdAt: 1 },
    },
    { type: 'message_started', messageId: 'r1.0', parentId: messageId, model: 'demo' },
    { type: 'text_delta', messageId: 'r1.0', text: 'Hi.' },
    { type: 'message_finished', message: { ...ANSWER, parentId: messageId } },
    { type: 'run_finished', status: 'done', usage: {} },
  ]);

describe('a message that is sent while the conversation is loaded again', () => {
  it('is not replaced by the older state', async () => {
    const answers: ((stored: ConversationView) => void)[] = [];
    const { chat, listeners, shown } = chatOver(({ method, path, body }) => {
      if (path.endsWith('/messages'))
        return { run: run('r1'), message: userMessage((body as { id: string }).id, 'Hello') };
      if (method === 'GET' && chat.view !== null)
        return new Promise<ConversationView>((resolve) => void answers.push(resolve));
      return view([]);
    });
    await chat.open('c1');
    listeners.hello();
    await expect.poll(() => answers.length).toBe(1);
    await chat.send([...HELLO]);
    answers[0]?.(view([]));
    await expect.poll(() => answers.length).toBe(2);
    expect(shown()).toEqual(['user', 'assistant']);
    answers[1]?.(view([USER_MESSAGE, ANSWER]));
    await expect.poll(shown).toEqual(['user', 'assistant']);
  });
});

describe('the first message of a new chat', () => {
  const server: Answer = ({ path, body }) => {
    if (path === '/api/conversations') return { ...view([]), id: (body as { id: string }).id };
    const { id } = body as { id: string };
    return { run: run('r1'), message: userMessage(id, 'Hello') };
  };

  it('is shown at once, creates the conversation and navigates to it', async () => {
    const { chat, calls, visited, shown } = chatOver(server);
    await chat.configure({ model: { providerId: 'demo', modelId: 'demo' } });
    const sending = chat.send([...HELLO]);
    expect(shown()).toEqual(['user…']);
    expect(chat.busy).toBe(true);
    await sending;
    expect(shown()).toEqual(['user', 'assistant']);
    expect(visited).toEqual(['id2']);
    expect(calls).toMatchObject([
      { path: '/api/conversations', body: { configuration: { model: { modelId: 'demo' } } } },
      { path: '/api/conversations/id2/messages', body: { id: 'id1' } },
    ]);
  });

  it('is stopped as soon as its run is known, if the user stops it before', async () => {
    const response = Promise.withResolvers<unknown>();
    const { chat, calls } = chatOver((call) =>
      call.path.endsWith('/messages') ? response.promise.then(() => server(call)) : server(call),
    );
    const sending = chat.send([...HELLO]);
    const stopping = chat.stop();
    response.resolve(null);
    await Promise.all([sending, stopping]);
    expect(calls.map(({ path }) => path)).toEqual([
      '/api/conversations',
      '/api/conversations/id2/messages',
      '/api/runs/r1/cancel',
    ]);
  });

  it('is not loaded again after the navigation', async () => {
    const { chat, calls } = chatOver(server);
    await chat.send([...HELLO]);
    await chat.open('id2');
    expect(calls.filter(({ method }) => method === 'GET')).toEqual([]);
  });

  it('that cannot be sent keeps the new chat, and is stored once when sent again', async () => {
    let up = false;
    const { chat, calls, visited, shown } = chatOver((call) => {
      if (call.path.endsWith('/messages') && !up) throw new ApiError({ code: 'network', status: 0, detail: 'No.' });
      return server(call);
    });
    await expect(chat.send([...HELLO])).rejects.toMatchObject({ code: 'network' });
    expect(shown()).toEqual([]);
    expect(chat.busy).toBe(false);
    expect(visited).toEqual([]);

    up = true;
    await chat.send([...HELLO]);
    const sent = calls.filter(({ path }) => path.endsWith('/messages'));
    expect(new Set(sent.map(({ body }) => (body as { id: string }).id)).size).toBe(1);
    expect(calls.filter(({ path }) => path === '/api/conversations')).toHaveLength(1);
    expect(visited).toHaveLength(1);
  });
});

describe('an open conversation', () => {
  let stored: ConversationView;
  beforeEach(() => {
    stored = view([USER_MESSAGE, ANSWER]);
  });
  const server: Answer = ({ method, path, body }) => {
    if (method === 'GET' && path === '/api/conversations/c1') return stored;
    if (path.endsWith('/messages') && method === 'POST') {
      const { id, parentId } = body as { id: string; parentId?: string | null };
      return { run: run('r2'), message: userMessage(id, 'Hello', parentId === undefined ? 'r1.0' : parentId) };
    }
    if (path.endsWith('/regenerate')) return { run: run('r2') };
    if (path.endsWith('/continue')) return { run: run('r2'), how: 'same' };
    if (path.endsWith('/queue')) return { items: [{ id: 'q1', conversationId: 'c1', parts: [], createdAt: 1 }] };
    return undefined;
  };

  it('follows a run started by another tab, to its end', async () => {
    stored = view([]);
    const { chat, listeners, shown } = chatOver(server);
    await chat.open('c1');
    const events = started('u1', 'c1');
    for (const event of events.slice(0, 3)) listeners.run(event);
    expect(chat.busy).toBe(true);
    for (const event of events.slice(3)) listeners.run(event);
    expect(chat.busy).toBe(false);
    expect(shown()).toEqual(['user', 'assistant']);
  });

  it('continues an answer that was cut off and shows the cut: not twice, and not while another is written', async () => {
    const cut = assistantMessage('r1.0', [{ type: 'text', text: 'One,' }]);
    stored = view([USER_MESSAGE, cut]);
    const { chat, calls, listeners, shown } = chatOver((call) => {
      // The server switches the branch to the continued answer.
      if (call.path.endsWith('/continue')) stored = view([USER_MESSAGE, { ...cut, id: 'r2.0', runId: 'r2' }]);
      return server(call);
    });
    await chat.open('c1');
    const both = [chat.continueAnswer('r1.0'), chat.continueAnswer('r1.0')];
    expect(chat.busy).toBe(true);
    await Promise.all(both);
    const asked = () => calls.filter(({ path }) => path.endsWith('/continue'));
    expect(asked()).toEqual([{ method: 'POST', path: '/api/conversations/c1/continue', body: { messageId: 'r1.0' } }]);
    expect(shown()).toEqual(['user', 'assistant']);
    expect(chat.rows.at(1)).toMatchObject({ messageId: 'r2.0' });

    const [begun] = started('u1', 'c1');
    if (begun) listeners.run(begun);
    await chat.continueAnswer('r2.0');
    expect(asked()).toHaveLength(1);
  });

  it('is not busy after an answer could not be continued', async () => {
    const { chat } = chatOver((call) => {
      if (call.path.endsWith('/continue')) throw new ApiError({ code: 'bad_request', status: 400, detail: 'Whole.' });
      return server(call);
    });
    await chat.open('c1');
    await expect(chat.continueAnswer('r1.0')).rejects.toMatchObject({ code: 'bad_request' });
    expect(chat.busy).toBe(false);
  });

  it('ignores runs of other conversations', async () => {
    const { chat, listeners, shown } = chatOver(server);
    await chat.open('c1');
    for (const event of started('u9', 'c9')) listeners.run(event);
    expect(shown()).toEqual(['user', 'assistant']);
    expect(chat.busy).toBe(false);
  });

  it('queues messages sent while it is busy', async () => {
    stored = view([USER_MESSAGE], { activeRun: run('r1') });
    const { chat, calls, shown } = chatOver((call) =>
      call.path.endsWith('/messages') ? { queued: { id: 'q1' } } : server(call),
    );
    await chat.open('c1');
    await chat.send([...HELLO], { whenBusy: 'queue' });
    expect(shown()).toEqual(['user', 'assistant']);
    expect(chat.queue.items.map(({ id }) => id)).toEqual(['q1']);
    expect(calls.at(-2)).toMatchObject({ body: { whenBusy: 'queue' } });
  });

  it('pauses the queue after Stop, and puts a later message at its end', async () => {
    const queue = [{ id: 'q1', conversationId: 'c1', parts: [], createdAt: 1 }];
    stored = view([USER_MESSAGE], { activeRun: run('r1'), queue });
    const { chat, calls, listeners } = chatOver((call) => {
      if (call.path.endsWith('/q1/send')) queue.length = 0;
      if (call.path.endsWith('/messages')) return { queued: { id: 'q2' } };
      return call.path.endsWith('/queue') ? { items: queue } : server(call);
    });
    await chat.open('c1');
    expect(chat.queuePaused).toBe(false);
    for (const event of createEvents('r1', [{ type: 'run_finished', status: 'cancelled', usage: {} }]))
      listeners.run(event);
    expect(chat.queuePaused).toBe(true);
    await chat.send([...HELLO], { whenBusy: 'queue' });
    expect(calls.filter(({ method }) => method === 'POST')).toMatchObject([
      { path: '/api/conversations/c1/queue/q1/send' },
      { path: '/api/conversations/c1/messages', body: { whenBusy: 'queue' } },
    ]);
  });

  it('edits a message as a branch beside it', async () => {
    const { chat, calls, shown } = chatOver(server);
    await chat.open('c1');
    await chat.editAndSend('u1', [{ type: 'text', text: 'Hello!' }]);
    expect(calls.at(-1)).toMatchObject({ body: { parentId: null, parts: [{ text: 'Hello!' }] } });
    expect(shown()).toEqual(['user', 'assistant']);
    expect(chat.rows.at(0)?.key).toBe('id1');
  });

  it('regenerates an answer in place of the old one', async () => {
    const { chat, calls, shown } = chatOver(server);
    await chat.open('c1');
    await chat.regenerate('r1.0');
    expect(calls.at(-1)).toMatchObject({ path: '/api/conversations/c1/regenerate', body: { messageId: 'r1.0' } });
    expect(shown()).toEqual(['user', 'assistant']);
    expect(chat.rows.at(1)).toMatchObject({ status: 'pending' });
  });

  it('retries a failed answer by requesting it again', async () => {
    const { chat, calls } = chatOver(server);
    await chat.open('c1');
    await chat.retry();
    expect(calls.at(-1)).toMatchObject({ path: '/api/conversations/c1/regenerate' });
  });

  it('reports why it could not be loaded, and can be loaded again', async () => {
    let up = false;
    const { chat, shown } = chatOver((call) => {
      if (!up) throw new ApiError({ code: 'not_found', status: 404, detail: 'Not there.' });
      return server(call);
    });
    await chat.open('c1');
    expect(chat.error?.status).toBe(404);
    up = true;
    await chat.open('c1');
    expect(chat.error).toBeNull();
    expect(shown()).toEqual(['user', 'assistant']);
  });

  it('ignores an answer that arrives after the user left', async () => {
    let release: () => void = () => {};
    const slow = new Promise<void>((resolve) => (release = resolve));
    const { chat, shown } = chatOver((call) => (call.path.endsWith('/c1') ? slow.then(() => stored) : view([])));
    const first = chat.open('c1');
    chat.close();
    release();
    await first;
    expect(shown()).toEqual([]);
    expect(chat.view).toBeNull();
  });

  it('reverts a change of configuration that the server rejected', async () => {
    const { chat } = chatOver((call) => {
      if (call.method === 'PATCH') throw new ApiError({ code: 'bad_request', status: 400, detail: 'No.' });
      return server(call);
    });
    await chat.open('c1');
    const changing = chat.configure({ instructions: 'Be brief.' });
    expect(chat.configuration).toEqual({ instructions: 'Be brief.' });
    await expect(changing).rejects.toBeInstanceOf(ApiError);
    expect(chat.configuration).toEqual({});
  });

  it('resets a setting to the inherited value', async () => {
    const { chat } = chatOver(server);
    await chat.configure({ instructions: 'Be brief.', toolMode: 'text' });
    await chat.configure({ instructions: undefined });
    flushSync();
    expect(chat.configuration).toEqual({ toolMode: 'text' });
  });
});
