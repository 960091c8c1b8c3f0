import { MAX_OPEN_REQUESTS } from '@toolyard/protocol';
import { createFakeClock, eventually, startScriptedMcp } from '@toolyard/testing';
import { expect, test } from 'vitest';
import { McpHost } from '../host/host.ts';
import type { McpHostOptions } from '../host/host-options.ts';
import { MemoryPeer } from '../node/test-fixtures/memory-peer.ts';
import { connected } from '../node/test-fixtures/peers.ts';
import { FORM, SAMPLING } from '../node/test-fixtures/server-requests.ts';
import type { InputRound, ToolProgress } from '../types.ts';
import { SERVER_LIMITS } from '../values/server-limits.ts';
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

test('progress that floods is reported a few times at once, then now and then, with texts of bounded length', async () => {
  const clock = createFakeClock();
  const { host, peer } = await connect({}, { clock });
  const reported: ToolProgress[] = [];
  const ended = host.callTool(GO, {}, { onProgress: (progress) => reported.push(progress) });
  const call = await eventually(() => peer.received.find((each) => 'method' in each && each.method === 'tools/call'));
  const progressToken = (call as unknown as { params: { _meta: { progressToken: number } } }).params._meta
    .progressToken;
  const message = 'x'.repeat(100_000);
  let progress = 0;
  const flood = (): void => {
    for (let at = 0; at < 500; at++) {
      progress += 1;
      peer.say({ method: 'notifications/progress', params: { progressToken, progress, message } });
    }
  };
  const { burst, perSecond, characters } = SERVER_LIMITS.progress;
  flood();
  await eventually(() => reported.length === burst, { what: 'the first reports' });
  await clock.advance(5_000);
  flood();
  await eventually(() => reported.length === burst + 5 * perSecond, { what: 'the reports of five seconds' });
  for (const { text = '' } of reported) expect(text.length).toBeLessThan(characters + 9);
  await host.close();
  await ended;
});

test('updates of a followed resource that flood are announced together', async () => {
  const clock = createFakeClock();
  const { host, peer } = await connect({}, { clock });
  await using _ = { [Symbol.asyncDispose]: () => host.close() };
  const updates: string[] = [];
  for (const uri of ['a:1', 'a:2']) await host.resources.follow('srv', uri, () => updates.push(uri)).catch(() => null);
  const flood = (): void => {
    for (let at = 0; at < 500; at++) {
      for (const uri of ['a:1', 'a:2', 'a:3']) peer.say({ method: 'notifications/resources/updated', params: { uri } });
    }
  };
  flood();
  await clock.advance(SERVER_LIMITS.updatesMs);
  expect(updates).toEqual(['a:1', 'a:2']);
  flood();
  await clock.advance(SERVER_LIMITS.updatesMs);
  expect(updates).toEqual(['a:1', 'a:2', 'a:1', 'a:2']);
});

const long = 'x'.repeat(SERVER_LIMITS.form);
const field = (more: object) => ({
  ...FORM,
  requestedSchema: { type: 'object', properties: { a: { type: 'string', ...more } } },
});
const says = (content: object) => ({ ...SAMPLING, messages: [{ role: 'user', content }] });

test.each<[string, string, object]>([
  ['a form with a long message', 'elicitation/create', { ...FORM, message: long }],
  ['a form with a long title', 'elicitation/create', field({ title: long })],
  ['a form with a long description', 'elicitation/create', field({ description: long })],
  ['a form with a long default', 'elicitation/create', field({ default: long })],
  [
    'a form with many choices',
    'elicitation/create',
    field({ enum: Array.from({ length: 20_000 }, (_, at) => `${at}`) }),
  ],
  ['a form with other members', 'elicitation/create', { ...FORM, _meta: { data: long } }],
  ['a URL with a long message', 'elicitation/create', { ...URL_FORM, message: long }],
  ['a long URL', 'elicitation/create', { ...URL_FORM, url: `https://a.example/${long}` }],
  ['sampling with a long text', 'sampling/createMessage', says({ type: 'text', text: long.repeat(17) })],
  ['sampling with a long system prompt', 'sampling/createMessage', { ...SAMPLING, systemPrompt: long.repeat(17) }],
])('%s is rejected', async (_, method, params) => {
  const { shown, handlers } = user();
  const { host, ask, answers } = await connect(handlers);
  await using _host = { [Symbol.asyncDispose]: () => host.close() };
  ask(method, params);
  await eventually(() => answers('error').length === 1, { what: 'the error' });
  expect(answers('error')[0]).toMatchObject({ error: { message: expect.stringContaining('at most') as string } });
  expect(shown).toEqual([]);
});

test('sampling with a large image is shown', async () => {
  const { shown, handlers } = user();
  const { host, ask } = await connect(handlers);
  await using _ = { [Symbol.asyncDispose]: () => host.close() };
  ask('sampling/createMessage', says({ type: 'image', mimeType: 'image/png', data: 'AAAA'.repeat(500_000) }));
  await eventually(() => shown.length === 1, { what: 'the request' });
});
