import type { ToolResult } from '@toolyard/protocol';
import type { FakeClock, McpBehaviour } from '@toolyard/testing';
import { createFakeClock, eventually, within } from '@toolyard/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { IDLE_MS, QUEUE_TIMEOUT_MS } from './call-scheduler.ts';
import { McpHost } from '../host/host.ts';
import type { MemoryTransport } from '../node/test-fixtures/memory-peer.ts';
import { MemoryPeer } from '../node/test-fixtures/memory-peer.ts';
import { answersAll, FORM } from '../node/test-fixtures/questions.ts';
import { connected, healthOf, scripted } from '../node/test-fixtures/peers.ts';
import type { CallToolOptions, ServerConfig, ToolProgress } from '../types.ts';

let host: McpHost | undefined;
afterEach(async () => {
  await host?.close();
  host = undefined;
});

const inChat = (conversationId: string): CallToolOptions => ({ caller: { principal: 'anne', conversationId } });

/** Calls as they are made: none is answered before it is told to be. */
class Desk {
  readonly peer = new MemoryPeer();
  readonly clock: FakeClock = createFakeClock();
  readonly host: McpHost;

  constructor(more: Partial<ServerConfig> = {}) {
    this.peer.answers['tools/call'] = () => ({ method: 'notifications/none' });
    this.host = new McpHost({
      // A program, as far as the limits of connections go.
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

  /** The conversations whose calls came on each connection. */
  get calls(): unknown[][] {
    return this.peer.connections.map((each) => callsOn(each).map(({ chat }) => chat));
  }

  answerOn(at: number): void {
    const connection = this.peer.connections[at];
    for (const { id } of connection === undefined ? [] : callsOn(connection)) {
      connection?.say({ id, result: { content: [] } });
    }
  }

  /** Two calls in flight, and a question that belongs to either; both are answered. */
  async becomeInteractive(): Promise<void> {
    await this.host.connectAll();
    const calls = [this.call('x'), this.call('y')];
    await this.clock.advance(0);
    this.peer.say({ id: 'question', method: 'elicitation/create', params: FORM });
    await this.clock.advance(0);
    this.answerOn(0);
    await Promise.all(calls);
    expect(healthOf(this.host, 'srv').interactive).toBe(true);
    this.peer.connections[0]?.received.splice(0);
  }
}

function callsOn({ received }: MemoryTransport): { id: unknown; chat: unknown }[] {
  return received.flatMap((message) => {
    if (!('method' in message) || message.method !== 'tools/call' || !('id' in message)) return [];
    return [{ id: message.id, chat: (message.params?.['arguments'] as { conversationId: unknown }).conversationId }];
  });
}

describe('a server that asked without saying for which call', () => {
  test('has a connection for each conversation; lists and subscriptions stay on the first', async () => {
    const desk = new Desk();
    await desk.becomeInteractive();
    const calls = ['a', 'b', 'a'].map((chat) => desk.call(chat));
    await desk.clock.advance(0);
    expect(desk.calls).toEqual([['a', 'a'], ['b']]);
    expect(desk.peer.connections.map((each) => each.countOf('tools/list'))).toEqual([0, 0]);
    desk.peer.connections[1]?.say({ method: 'notifications/tools/list_changed' });
    desk.peer.connections[0]?.say({ method: 'notifications/tools/list_changed' });
    await desk.clock.advance(1_000);
    expect(desk.peer.connections.map((each) => each.countOf('tools/list'))).toEqual([1, 0]);
    desk.answerOn(0);
    desk.answerOn(1);
    for (const call of calls) expect(await call).toMatchObject({ outcome: 'done' });
  });

  test('asks on the connection of a conversation for that conversation', async () => {
    const desk = new Desk();
    await desk.becomeInteractive();
    const asked: string[] = [];
    const calls = ['a', 'b'].map((chat) =>
      desk.call(chat, {
        handlers: {
          form: async (_request, { mayBelongTo }) => {
            asked.push(`${chat} ${String(mayBelongTo)}`);
            return { action: 'decline' };
          },
        },
      }),
    );
    await desk.clock.advance(0);
    desk.peer.connections[1]?.say({ id: 'q1', method: 'elicitation/create', params: FORM });
    await desk.clock.advance(0);
    desk.peer.connections[0]?.say({ id: 'q2', method: 'elicitation/create', params: FORM });
    await desk.clock.advance(0);
    expect(asked).toEqual(['b undefined', 'a undefined']);
    await desk.host.close();
    await Promise.all(calls);
  });

  test('makes a fifth conversation wait, which is told for whom, and times out', async () => {
    const desk = new Desk();
    await desk.becomeInteractive();
    const calls = ['a', 'b', 'c', 'd'].map((chat) => desk.call(chat));
    const told: ToolProgress[] = [];
    const fifth = desk.call('e', { onProgress: (progress) => told.push(progress) });
    await desk.clock.advance(1_000);
    expect(desk.calls).toEqual([['a'], ['b'], ['c'], ['d']]);
    expect(told).toEqual([{ progress: 0, text: 'Waits for other calls of "srv".', waitsFor: ['a', 'b', 'c', 'd'] }]);
    await desk.clock.advance(QUEUE_TIMEOUT_MS);
    const result = await fifth;
    expect(result).toMatchObject({ outcome: 'not_sent', error: { code: 'timed_out' } });
    expect(result.error?.message).toContain('waited 300 s for other calls of "srv"');
    await desk.host.close();
    await Promise.all(calls);
    expect(desk.peer.openConnections).toBe(0);
  });

  test('loses the connection of one conversation, and the others keep theirs', async () => {
    const desk = new Desk();
    await desk.becomeInteractive();
    const [a, b, c] = ['a', 'b', 'c'].map((chat) => desk.call(chat));
    await desk.clock.advance(0);
    desk.peer.connections[1]?.drop();
    expect(await b).toMatchObject({ outcome: 'unknown' });
    expect(healthOf(desk.host, 'srv').state).toBe('ready');
    const again = desk.call('b');
    await desk.clock.advance(0);
    expect(desk.calls).toEqual([['a'], ['c'], ['b']]);
    for (const at of [0, 1, 2]) desk.answerOn(at);
    for (const call of [a, c, again]) expect(await call).toMatchObject({ outcome: 'done' });
  });

  test('goes on with the conversations that have connections of their own while the first is lost', async () => {
    const desk = new Desk();
    await desk.becomeInteractive();
    const [a, b] = ['a', 'b'].map((chat) => desk.call(chat));
    await desk.clock.advance(0);
    desk.peer.connections[0]?.drop();
    expect(await a).toMatchObject({ outcome: 'unknown' });
    desk.answerOn(0);
    expect(await b).toMatchObject({ outcome: 'done' });
  });

  test('closes the connection of a conversation that makes no calls for a while', async () => {
    const desk = new Desk();
    await desk.becomeInteractive();
    const calls = ['a', 'b'].map((chat) => desk.call(chat));
    await desk.clock.advance(0);
    desk.answerOn(0);
    desk.answerOn(1);
    await Promise.all(calls);
    expect(desk.peer.openConnections).toBe(2);
    await desk.clock.advance(IDLE_MS);
    expect(desk.peer.openConnections).toBe(1);
  });

  test('has one connection where its entry says so: conversations wait for one another', async () => {
    const desk = new Desk({ processes: 'one' });
    await desk.becomeInteractive();
    const calls = ['a', 'b'].map((chat) => desk.call(chat));
    await desk.clock.advance(0);
    expect(desk.calls).toEqual([['a']]);
    desk.answerOn(0);
    await desk.clock.advance(0);
    expect(desk.calls).toEqual([['a', 'b']]);
    desk.answerOn(0);
    await Promise.all(calls);
  });
});

test('calls of a server that takes one at a time wait for one another', async () => {
  const desk = new Desk({ maxConcurrentCalls: 1 });
  await desk.host.connectAll();
  const told: ToolProgress[] = [];
  const calls = [desk.call('a'), desk.call('b', { onProgress: (progress) => told.push(progress) })];
  await desk.clock.advance(1_000);
  expect(desk.calls).toEqual([['a']]);
  desk.answerOn(0);
  await desk.clock.advance(0);
  expect(told).toEqual([{ progress: 0, text: expect.any(String) as string, waitsFor: ['a'] }, { progress: 0 }]);
  expect(desk.calls).toEqual([['a', 'b']]);
  desk.answerOn(0);
  for (const call of calls) expect(await call).toMatchObject({ outcome: 'done' });
});

test.each([{ processes: 'many' as 'one' }, { maxConcurrentCalls: 0 }])('nothing starts with %j', (more) => {
  expect(() => new Desk(more)).toThrow(/^The server "srv": "(processes|maxConcurrentCalls)" must be/);
  expect(host).toBeUndefined();
});

test('shows no conversation to another principal', async () => {
  const desk = new Desk({ maxConcurrentCalls: 1 });
  await desk.host.connectAll();
  const told: ToolProgress[] = [];
  const calls = [
    desk.call('a'),
    desk.call('b', { caller: { principal: 'bert' }, onProgress: (progress) => told.push(progress) }),
  ];
  await desk.clock.advance(1_000);
  expect(told).toMatchObject([{ waitsFor: [] }]);
  await desk.host.close();
  await Promise.all(calls);
});

test('a program that asks gets a process for each conversation, and none is left in the end', async () => {
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
  await within(Promise.all([call('ask', 'a'), call('ask', 'b')]), { what: 'both calls that asked' });
  expect(healthOf(met, 'srv').interactive).toBe(true);
  const never = call('never', 'a');
  expect(await within(call('exit', 'b'), { what: 'the crash' })).toMatchObject({ outcome: 'unknown' });
  expect(await within(call('echo', 'b'), { what: 'a call after the crash' })).toMatchObject({ outcome: 'done' });
  expect(healthOf(met, 'srv').state).toBe('ready');
  await met.close();
  expect(await never).toMatchObject({ outcome: 'unknown' });
  await eventually(() => met.activeFlows === 0);
});
