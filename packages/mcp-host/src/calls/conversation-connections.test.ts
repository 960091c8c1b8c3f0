import type { ToolResult } from '@toolyard/protocol';
import type { FakeClock, McpBehaviour } from '@toolyard/testing';
import { createFakeClock, eventually, within } from '@toolyard/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { IDLE_MS, QUEUE_TIMEOUT_MS } from './call-scheduler.ts';
import { McpHost } from '../host/host.ts';
import type { MemoryTransport } from '../node/test-fixtures/memory-peer.ts';
import { MemoryPeer } from '../node/test-fixtures/memory-peer.ts';
import { answersAll, FORM } from '../node/test-fixtures/server-requests.ts';
import { connected, getHealth, scripted } from '../node/test-fixtures/peers.ts';
import type { CallToolOptions, ServerConfig, ToolProgress } from '../types.ts';

let host: McpHost | undefined;
afterEach(async () => {
  await host?.close();
  host = undefined;
});

const inChat = (conversationId: string): CallToolOptions => ({ caller: { principal: 'anne', conversationId } });

/** Calls in order of arrival; none is answered by itself. */
class CallQueue {
  readonly peer = new MemoryPeer();
  readonly clock: FakeClock = createFakeClock();
  readonly host: McpHost;

  constructor(more: Partial<ServerConfig> = {}) {
    this.peer.answers['tools/call'] = () => ({ method: 'notifications/none' });
    this.host = new McpHost({
      // The connection limits of a stdio server apply.
      servers: [{ id: 'srv', transport: { type: 'stdio', command: 'none' }, ...more }],
      createTransport: this.peer.createTransport,
      eraMemory: this.peer.eraMemory,
      clock: this.clock,
      clientInfo: { name: 'toolyard-test', version: '0' },
      handlers: answersAll,
    });
    host = this.host;
  }

  call(conversationId: string, more: CallToolOptions = {}): Promise<ToolResult> {
    const options = { ...inChat(conversationId), timeoutMs: 100 * QUEUE_TIMEOUT_MS, ...more };
    return this.host.callTool({ serverId: 'srv', name: 'go' }, { conversationId }, options);
  }

  /** The conversations whose calls arrived on each connection. */
  get calls(): unknown[][] {
    return this.peer.connections.map((each) => callsOn(each).map(({ chat }) => chat));
  }

  answerOn(at: number): void {
    const connection = this.peer.connections[at];
    for (const { id } of connection === undefined ? [] : callsOn(connection)) {
      connection?.say({ id, result: { content: [] } });
    }
  }

  /** Two calls in flight and an elicitation that belongs to either; both are answered. */
  async becomeInteractive(): Promise<void> {
    await this.host.connectAll();
    const calls = [this.call('x'), this.call('y')];
    await this.clock.advance(0);
    this.peer.say({ id: 'form', method: 'elicitation/create', params: FORM });
    await this.clock.advance(0);
    this.answerOn(0);
    await Promise.all(calls);
    expect(getHealth(this.host, 'srv').interactive).toBe(true);
    this.peer.connections[0]?.received.splice(0);
  }
}

function callsOn({ received }: MemoryTransport): { id: unknown; chat: unknown }[] {
  return received.flatMap((message) => {
    if (!('method' in message) || message.method !== 'tools/call' || !('id' in message)) return [];
    return [{ id: message.id, chat: (message.params?.['arguments'] as { conversationId: unknown }).conversationId }];
  });
}

describe('a server that sent an ambiguous request', () => {
  test('gets a connection per conversation; lists and subscriptions stay on the first', async () => {
    const queue = new CallQueue();
    await queue.becomeInteractive();
    const calls = ['a', 'b', 'a'].map((chat) => queue.call(chat));
    await queue.clock.advance(0);
    expect(queue.calls).toEqual([['a', 'a'], ['b']]);
    expect(queue.peer.connections.map((each) => each.countReceived('tools/list'))).toEqual([0, 0]);
    queue.peer.connections[1]?.say({ method: 'notifications/tools/list_changed' });
    queue.peer.connections[0]?.say({ method: 'notifications/tools/list_changed' });
    await queue.clock.advance(1_000);
    expect(queue.peer.connections.map((each) => each.countReceived('tools/list'))).toEqual([1, 0]);
    queue.answerOn(0);
    queue.answerOn(1);
    for (const call of calls) expect(await call).toMatchObject({ outcome: 'done' });
  });

  test('sends requests on the connection of a conversation for that conversation', async () => {
    const queue = new CallQueue();
    await queue.becomeInteractive();
    const shown: string[] = [];
    const calls = ['a', 'b'].map((chat) =>
      queue.call(chat, {
        handlers: {
          form: async (_request, { mayBelongTo }) => {
            shown.push(`${chat} ${String(mayBelongTo)}`);
            return { action: 'decline' };
          },
        },
      }),
    );
    await queue.clock.advance(0);
    queue.peer.connections[1]?.say({ id: 'q1', method: 'elicitation/create', params: FORM });
    await queue.clock.advance(0);
    queue.peer.connections[0]?.say({ id: 'q2', method: 'elicitation/create', params: FORM });
    await queue.clock.advance(0);
    expect(shown).toEqual(['b undefined', 'a undefined']);
    await queue.host.close();
    await Promise.all(calls);
  });

  test('makes a fifth conversation wait, reports what it waits for, and times out', async () => {
    const queue = new CallQueue();
    await queue.becomeInteractive();
    const calls = ['a', 'b', 'c', 'd'].map((chat) => queue.call(chat));
    const progressTexts: ToolProgress[] = [];
    const fifth = queue.call('e', { onProgress: (progress) => progressTexts.push(progress) });
    await queue.clock.advance(1_000);
    expect(queue.calls).toEqual([['a'], ['b'], ['c'], ['d']]);
    expect(progressTexts).toEqual([
      { progress: 0, text: 'Waiting for other calls to "srv".', waitsFor: ['a', 'b', 'c', 'd'] },
    ]);
    await queue.clock.advance(QUEUE_TIMEOUT_MS);
    const result = await fifth;
    expect(result).toMatchObject({ outcome: 'not_sent', error: { code: 'timed_out' } });
    expect(result.error?.message).toContain('waited 300 s for other calls to "srv"');
    await queue.host.close();
    await Promise.all(calls);
    expect(queue.peer.openConnections).toBe(0);
  });

  test('loses the connection of one conversation without affecting the others', async () => {
    const queue = new CallQueue();
    await queue.becomeInteractive();
    const [a, b, c] = ['a', 'b', 'c'].map((chat) => queue.call(chat));
    await queue.clock.advance(0);
    queue.peer.connections[1]?.drop();
    expect(await b).toMatchObject({ outcome: 'unknown' });
    expect(getHealth(queue.host, 'srv').state).toBe('ready');
    const again = queue.call('b');
    await queue.clock.advance(0);
    expect(queue.calls).toEqual([['a'], ['c'], ['b']]);
    for (const at of [0, 1, 2]) queue.answerOn(at);
    for (const call of [a, c, again]) expect(await call).toMatchObject({ outcome: 'done' });
  });

  test('keeps the other connections while the first is lost', async () => {
    const queue = new CallQueue();
    await queue.becomeInteractive();
    const [a, b] = ['a', 'b'].map((chat) => queue.call(chat));
    await queue.clock.advance(0);
    queue.peer.connections[0]?.drop();
    expect(await a).toMatchObject({ outcome: 'unknown' });
    queue.answerOn(0);
    expect(await b).toMatchObject({ outcome: 'done' });
  });

  test('closes the connection of a conversation without calls after a while', async () => {
    const queue = new CallQueue();
    await queue.becomeInteractive();
    const calls = ['a', 'b'].map((chat) => queue.call(chat));
    await queue.clock.advance(0);
    queue.answerOn(0);
    queue.answerOn(1);
    await Promise.all(calls);
    expect(queue.peer.openConnections).toBe(2);
    await queue.clock.advance(IDLE_MS);
    expect(queue.peer.openConnections).toBe(1);
  });

  test('keeps one connection if its entry says so: conversations wait for one another', async () => {
    const queue = new CallQueue({ processes: 'one' });
    await queue.becomeInteractive();
    const calls = ['a', 'b'].map((chat) => queue.call(chat));
    await queue.clock.advance(0);
    expect(queue.calls).toEqual([['a']]);
    queue.answerOn(0);
    await queue.clock.advance(0);
    expect(queue.calls).toEqual([['a', 'b']]);
    queue.answerOn(0);
    await Promise.all(calls);
  });
});

test('calls to a server with maxConcurrentCalls wait for one another', async () => {
  const queue = new CallQueue({ maxConcurrentCalls: 1 });
  await queue.host.connectAll();
  const progressTexts: ToolProgress[] = [];
  const calls = [queue.call('a'), queue.call('b', { onProgress: (progress) => progressTexts.push(progress) })];
  await queue.clock.advance(1_000);
  expect(queue.calls).toEqual([['a']]);
  queue.answerOn(0);
  await queue.clock.advance(0);
  expect(progressTexts).toEqual([
    { progress: 0, text: expect.any(String) as string, waitsFor: ['a'] },
    { progress: 0 },
  ]);
  expect(queue.calls).toEqual([['a', 'b']]);
  queue.answerOn(0);
  for (const call of calls) expect(await call).toMatchObject({ outcome: 'done' });
});

test.each([{ processes: 'many' as 'one' }, { maxConcurrentCalls: 0 }])('no call starts with %j', (more) => {
  expect(() => new CallQueue(more)).toThrow(/^The server "srv": "(processes|maxConcurrentCalls)" must be/);
  expect(host).toBeUndefined();
});

test('shows no conversation to another principal', async () => {
  const queue = new CallQueue({ maxConcurrentCalls: 1 });
  await queue.host.connectAll();
  const progressTexts: ToolProgress[] = [];
  const calls = [
    queue.call('a'),
    queue.call('b', { caller: { principal: 'bert' }, onProgress: (progress) => progressTexts.push(progress) }),
  ];
  await queue.clock.advance(1_000);
  expect(progressTexts).toMatchObject([{ waitsFor: [] }]);
  await queue.host.close();
  await Promise.all(calls);
});

test('a stdio server gets a process per conversation, and none is left running', async () => {
  const behaviour: McpBehaviour = {
    tools: [
      {
        name: 'ask',
        does: [
          { do: 'barrier', calls: 2 },
          { do: 'request', method: 'elicitation/create', params: FORM },
        ],
      },
      { name: 'never', does: [{ do: 'never' }] },
      { name: 'exit', does: [{ do: 'exit', code: 3 }] },
      { name: 'echo', does: [{ do: 'echo' }] },
    ],
  };
  host = await connected([scripted('srv', behaviour)], { handlers: answersAll });
  const met = host;
  const call = (name: string, chat: string): Promise<ToolResult> =>
    met.callTool({ serverId: 'srv', name }, {}, inChat(chat));
  await within(Promise.all([call('ask', 'a'), call('ask', 'b')]), { what: 'the requests of both calls' });
  expect(getHealth(met, 'srv').interactive).toBe(true);
  const never = call('never', 'a');
  expect(await within(call('exit', 'b'), { what: 'the crash' })).toMatchObject({ outcome: 'unknown' });
  expect(await within(call('echo', 'b'), { what: 'a call after the crash' })).toMatchObject({ outcome: 'done' });
  expect(getHealth(met, 'srv').state).toBe('ready');
  await met.close();
  expect(await never).toMatchObject({ outcome: 'unknown' });
  await eventually(() => met.activeFlows === 0);
});
