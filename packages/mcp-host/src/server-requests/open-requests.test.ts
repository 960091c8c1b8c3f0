import { MAX_OPEN_REQUESTS } from '@toolyard/protocol';
import { createFakeClock, eventually, startScriptedMcp } from '@toolyard/testing';
import { expect, test } from 'vitest';
import { McpHost } from '../host/host.ts';
import type { McpHostOptions } from '../host/host-options.ts';
import { MemoryPeer } from '../node/test-fixtures/memory-peer.ts';
import { connected } from '../node/test-fixtures/peers.ts';
import { FORM, SAMPLING } from '../node/test-fixtures/server-requests.ts';
import type { InputRound } from '../types.ts';
import type { ServerRequestHandlers } from './answer-request.ts';

const GO = { serverId: 'srv', name: 'go' };
const { perCall, perServer } = MAX_OPEN_REQUESTS;
const URL_FORM = { mode: 'url', message: 'Sign in', url: 'https://a.example', elicitationId: 'e' };

/** A user who is shown everything, and answers later. */
function user() {
  const shown: (() => void)[] = [];
  const waiting = <T>(answer: T): Promise<T> => new Promise((resolve) => shown.push(() => resolve(answer)));
  const handlers: ServerRequestHandlers = {
    form: () => waiting({ action: 'decline' as const }),
    url: () => waiting('decline' as const),
    sampling: () => waiting({ role: 'assistant' as const, content: { type: 'text' as const, text: 'a' }, model: 'm' }),
  };
  return { shown, handlers };
}

/** A legacy server that never finishes a call, and asks on demand. */
async function connect(handlers: ServerRequestHandlers, more: Partial<McpHostOptions> = {}) {
  const peer = new MemoryPeer();
  peer.answers['tools/call'] = () => ({ method: 'notifications/none' });
  const warnings: string[] = [];
  const host = new McpHost({
    servers: [{ id: 'srv', transport: { type: 'in-memory', name: 'srv' } }],
    createTransport: peer.createTransport,
    eraMemory: peer.eraMemory,
    clock: createFakeClock(),
    clientInfo: { name: 'toolyard-test', version: '0' },
    handlers,
    log: (_id, { level, text }) => level === 'warning' && warnings.push(text),
    ...more,
  });
  await host.connectAll();
  let asked = 0;
  const ask = (method: string, params: object): void => peer.say({ id: `q${asked++}`, method, params });
  const answers = (kind: 'error' | 'result') =>
    peer.received.filter((message) => kind in message && 'id' in message && String(message.id).startsWith('q'));
  return { host, peer, ask, answers, warnings };
}

test.each([
  ['elicitation/create', FORM],
  ['elicitation/create', URL_FORM],
  ['sampling/createMessage', SAMPLING],
])('a call that floods %s gets errors above its limit, and room again after answers', async (method, params) => {
  const { shown, handlers } = user();
  const { host, ask, answers, warnings } = await connect(handlers);
  await using _ = { [Symbol.asyncDispose]: () => host.close() };
  const call = host.callTool(GO, {});
  for (let at = 0; at < 200; at++) ask(method, params);
  await eventually(() => answers('error').length === 200 - perCall, { what: 'the excess to be declined' });
  expect(shown).toHaveLength(perCall);
  expect(answers('error')[0]).toMatchObject({
    error: { message: expect.stringContaining('not shown to the user') as string },
  });
  expect(warnings).toEqual([
    `The server has more than ${perCall} requests during one call open. Further ones are declined.`,
  ]);
  for (const answer of shown.splice(0)) answer();
  await eventually(() => answers('result').length === perCall, { what: 'the answers' });
  ask(method, params);
  await eventually(() => shown.length === 1, { what: 'the next request' });
  await host.close();
  await call;
});

test('many calls, and requests outside of calls, share the limit of their server', async () => {
  const { shown, handlers } = user();
  const { host, ask, answers } = await connect(handlers);
  for (let at = 0; at < 3 * perServer; at++) ask('elicitation/create', FORM);
  await eventually(() => answers('error').length === 2 * perServer, { what: 'the excess to be declined' });
  expect(shown).toHaveLength(perServer);
  await host.close();
});

test('a modern server cannot ask for more in one round, also if it is answered elsewhere', async () => {
  const one = { method: 'elicitation/create', params: FORM };
  const of = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, one]));
  for (const [count, isShown] of [
    [perCall, true],
    [perCall + 1, false],
    [2_000, false],
  ] as const) {
    for (const isElsewhere of [false, true]) {
      let asked = 0;
      await using server = await startScriptedMcp({
        era: 'modern',
        tools: [{ name: 'go', does: [{ do: 'ask', inputRequests: of(count) }, { do: 'echo_input' }] }],
      });
      await using host = await connected([{ id: 'srv', transport: { type: 'http', url: server.url } }], {
        handlers: { form: async () => (asked++, { action: 'decline' }) },
      });
      const onRound = (round: InputRound): void => void (asked += round.asked.length);
      const { error } = await host.callTool(GO, {}, isElsewhere ? { onRound } : {});
      expect([count, asked]).toEqual([count, isShown ? count : 0]);
      if (!isShown) expect(error?.message).toMatch(/requested input during the call: No more than 8 requests/);
    }
  }
});
