import type { JsonObject, ToolResult } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';
import { createFakeClock } from '@toolyard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { McpHost } from '../host/host.ts';
import { MemoryPeer } from '../node/test-fixtures/memory-peer.ts';
import { answersAll, FORM, SAMPLING } from '../node/test-fixtures/server-requests.ts';
import { getHealth } from '../node/test-fixtures/peers.ts';
import type { ServerRequestContext } from '../server-requests/answer-request.ts';
import { CANCELLED_MS, CancelledCalls } from './cancelled-calls.ts';

const clock = createFakeClock();
let peer: MemoryPeer;
let host: McpHost;
let shown: { chat: string; mayBelongTo: readonly string[] | undefined }[];

beforeEach(async () => {
  shown = [];
  peer = new MemoryPeer();
  // Calls are answered by hand.
  peer.answers['tools/call'] = () => ({ method: 'notifications/none' });
  host = new McpHost({
    servers: [{ id: 'srv', transport: { type: 'in-memory', name: 'srv' } }],
    createTransport: peer.createTransport,
    eraMemory: peer.eraMemory,
    clock,
    clientInfo: { name: 'toolyard-test', version: '0' },
    handlers: answersAll,
  });
  await host.connectAll();
});
afterEach(() => host.close());

/** A call that stays unanswered, and a function that cancels it. */
function call(principal: string, conversationId: string): { result: Promise<ToolResult>; cancel: () => Promise<void> } {
  const stop = new AbortController();
  const form = async (_request: unknown, { mayBelongTo }: ServerRequestContext) => {
    shown.push({ chat: conversationId, mayBelongTo });
    return { action: 'accept' as const, content: { city: 'Taipei' } };
  };
  const result = host.callTool(
    { serverId: 'srv', name: 'go' },
    {},
    {
      caller: { principal, conversationId },
      handlers: { form },
      signal: stop.signal,
      timeoutMs: 100 * CANCELLED_MS,
    },
  );
  const cancel = async (): Promise<void> => {
    stop.abort();
    await result;
  };
  return { result, cancel };
}

/** The server's request and the answer it gets. */
async function ask(method: string, params: JsonObject): Promise<unknown> {
  peer.received.splice(0);
  peer.say({ id: 'form', method, params });
  await clock.advance(0);
  const answer = peer.received.find((message) => 'id' in message && message.id === 'form');
  return answer !== undefined && 'result' in answer ? answer.result : answer;
}

/** The server answers its first call, which was cancelled. */
function answerFirstCall(): void {
  const [first] = peer.received.filter((message) => 'method' in message && message.method === 'tools/call');
  const id = isJsonObject(first) ? first['id'] : undefined;
  peer.say({ id, result: { content: [] } });
}

describe('a server request after a call was cancelled', () => {
  test('is answered for the user without being shown while no other call is in flight', async () => {
    await call('anne', 'a').cancel();
    expect(await ask('elicitation/create', FORM)).toEqual({ action: 'cancel' });
    expect(await ask('sampling/createMessage', SAMPLING)).toMatchObject({
      error: { code: -1, message: expect.stringContaining('was cancelled') as string },
    });
    expect(shown).toEqual([]);
  });

  test('is not shown to another user with a call in flight', async () => {
    await call('anne', 'a').cancel();
    const other = call('bert', 'b');
    expect(await ask('elicitation/create', FORM)).toMatchObject({
      error: { message: expect.stringContaining('several users') as string },
    });
    expect(shown).toEqual([]);
    expect(getHealth(host, 'srv').interactive).toBe(true);
    await other.cancel();
  });

  test('names both chats if another chat of the same user has a call in flight', async () => {
    await call('anne', 'a').cancel();
    const other = call('anne', 'b');
    expect(await ask('elicitation/create', FORM)).toMatchObject({ action: 'accept' });
    expect(shown.map(({ chat, mayBelongTo }) => ({ chat, names: mayBelongTo?.toSorted() }))).toEqual([
      { chat: 'b', names: ['a', 'b'] },
    ]);
    await other.cancel();
  });

  test.each(['answered the cancelled call', 'had time to ask for it'])(
    'belongs to the only call in flight once the server has %s',
    async (how) => {
      await call('anne', 'a').cancel();
      if (how === 'had time to ask for it') await clock.advance(CANCELLED_MS);
      else answerFirstCall();
      const other = call('bert', 'b');
      expect(await ask('elicitation/create', FORM)).toMatchObject({ action: 'accept' });
      expect(shown).toEqual([{ chat: 'b', mayBelongTo: undefined }]);
      expect(getHealth(host, 'srv').interactive).toBeUndefined();
      await other.cancel();
    },
  );
});

test('is attributed to the call whose own stream carried it', () => {
  const calls = new CancelledCalls(createFakeClock());
  for (const requestId of [1, 2]) calls.add({ requestId, caller: { principal: 'anne' } });
  expect(calls.mayAsk(2)).toEqual([{ requestId: 2, caller: { principal: 'anne' } }]);
  expect(calls.mayAsk(3)).toEqual([]);
  expect(calls.mayAsk(undefined)).toHaveLength(2);
});
