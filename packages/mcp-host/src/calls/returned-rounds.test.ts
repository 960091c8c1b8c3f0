import type { JsonObject } from '@toolyard/protocol';
import type { ScriptedMcp, ToolAction } from '@toolyard/testing';
import { createFakeClock, eventually, startScriptedMcp } from '@toolyard/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { McpHost } from '../host/host.ts';
import { connected } from '../node/test-fixtures/peers.ts';
import { MemoryPeer } from '../node/test-fixtures/memory-peer.ts';
import type { ServerRequestHandlers } from '../server-requests/answer-request.ts';
import type { InputRound } from '../types.ts';

let host: McpHost | undefined;
let server: ScriptedMcp | undefined;
afterEach(async () => {
  await host?.close();
  await server?.close();
});

const GO = { serverId: 'srv', name: 'go' };
const CITY = { type: 'object', properties: { city: { type: 'string', default: 'Rome' } } };
const FORM = { mode: 'form', message: 'Which city?', requestedSchema: CITY };
const STATE = '  {"a":1}\u00e9\ud83d\ude00\n%00== ';
const declared: ServerRequestHandlers = {
  form: async () => ({ action: 'cancel' }),
  url: async () => 'cancel',
  roots: () => [{ uri: 'file:///here' }],
};

async function connect(does: ToolAction[]): Promise<McpHost> {
  server = await startScriptedMcp({ era: 'modern', tools: [{ name: 'go', does }] });
  host = await connected([{ id: 'srv', transport: { type: 'http', url: server.url } }], { handlers: declared });
  return host;
}
const calls = (): JsonObject[] => server?.received.filter(({ method }) => method === 'tools/call') ?? [];

describe('a round returned to the caller', () => {
  test('ends the call; a repeated call continues with the responses and the unchanged state', async () => {
    const inputRequests = {
      city: { method: 'elicitation/create', params: FORM },
      folders: { method: 'roots/list' },
    };
    const met = await connect([{ do: 'ask', inputRequests, requestState: STATE }, { do: 'echo_input' }]);
    const rounds: InputRound[] = [];
    const first = await met.callTool(GO, { trip: 1 }, { onRound: (round) => rounds.push(round) });
    expect(first).toMatchObject({ isError: true, outcome: 'not_sent', error: { code: 'input_required' } });
    expect(met.activeFlows).toBe(0);
    const request = { kind: 'form', message: 'Which city?', requestedSchema: CITY };
    const answered = { folders: { roots: [{ uri: 'file:///here' }] } };
    // What needs no user is answered already, and the round serializes to JSON.
    expect(JSON.parse(JSON.stringify(rounds))).toEqual([
      { number: 1, asked: [{ key: 'city', question: request }], answered, state: STATE },
    ]);

    const responses = { ...answered, city: { action: 'decline' } };
    const onRound = (): void => expect.unreachable();
    await met.callTool(GO, { trip: 1 }, { onRound, resume: { number: 1, responses, state: STATE } });
    expect(calls()[1]).toMatchObject({
      params: { arguments: { trip: 1 }, requestState: STATE, inputResponses: responses },
    });
  });

  test('attack 22: ten rounds end a call, however often it is repeated', async () => {
    const inputRequests = { city: { method: 'elicitation/create', params: FORM } };
    const met = await connect([{ do: 'ask', inputRequests, always: true }]);
    let number = 0;
    let result;
    do {
      let handedOut: InputRound | undefined;
      const resume = number === 0 ? {} : { resume: { number, responses: {} } };
      result = await met.callTool(GO, {}, { onRound: (round) => (handedOut = round), ...resume });
      number = handedOut?.number ?? Infinity;
    } while (number <= 20);
    expect(result).toMatchObject({ isError: true, error: { code: 'tool_failed' } });
    expect(calls()).toHaveLength(11);
  });

  test('attack 2: a forbidden URL ends the call and is not returned', async () => {
    const params = { mode: 'url', message: 'Open', url: 'javascript:alert(1)' };
    const met = await connect([{ do: 'ask', inputRequests: { page: { method: 'elicitation/create', params } } }]);
    const result = await met.callTool(GO, {}, { onRound: () => expect.unreachable() });
    expect(result).toMatchObject({ isError: true, error: { code: 'tool_failed' } });
  });
});

describe('the handlers of a call', () => {
  const legacy = async (
    handlers: ServerRequestHandlers,
    ofCall: ServerRequestHandlers,
    params: JsonObject,
  ): Promise<unknown> => {
    const peer = new MemoryPeer();
    peer.answers['tools/call'] = () => ({ method: 'notifications/none' });
    host = new McpHost({
      servers: [{ id: 'srv', transport: { type: 'in-memory', name: 'srv' } }],
      createTransport: peer.createTransport,
      eraMemory: peer.eraMemory,
      clock: createFakeClock(),
      clientInfo: { name: 'toolyard-test', version: '0' },
      handlers,
    });
    await host.connectAll();
    const call = host.callTool(GO, {}, { handlers: ofCall });
    await eventually(() => expect(peer.countReceived('tools/call')).toBe(1));
    peer.say({ id: 'form', method: 'elicitation/create', params });
    const answer = await eventually(() => peer.received.find((message) => 'id' in message && message.id === 'form'));
    await host.close();
    await call;
    return 'result' in answer ? answer.result : 'error' in answer ? answer.error : undefined;
  };

  test('replace those of the host while the call is open', async () => {
    const form: ServerRequestHandlers['form'] = async () => ({ action: 'accept', content: {} });
    expect(await legacy(declared, { form }, FORM)).toEqual({ action: 'accept', content: { city: 'Rome' } });
  });

  test('send a form without the fields a user left empty', async () => {
    const form: ServerRequestHandlers['form'] = async () => ({ action: 'accept', content: {}, asIs: true });
    expect(await legacy(declared, { form }, FORM)).toEqual({ action: 'accept', content: {} });
  });

  test('are not called for a request that cannot be shown', async () => {
    const form: ServerRequestHandlers['form'] = () => Promise.reject(new Error('was asked'));
    const nested = { ...FORM, requestedSchema: { type: 'object', properties: { a: { type: 'array' } } } };
    expect(await legacy(declared, { form }, nested)).toMatchObject({ code: -32602 });
  });
});

test('attack 17: a call approved for another definition is not made', async () => {
  const met = await connect([{ do: 'text', text: 'done' }]);
  const definition = met.findDefinition(GO) ?? '';
  expect(await met.callTool(GO, {}, { definition })).toMatchObject({ outcome: 'done' });
  const late = await met.callTool(GO, {}, { definition: definition.replace(/./, 'x') });
  expect(late).toMatchObject({ outcome: 'not_sent', error: { code: 'tool_refused' } });
  expect(calls()).toHaveLength(1);

  // The approval covers the definition that was shown, not its replacement.
  met.approveTool(GO, 'another definition');
  expect(met.trust.findChange(GO)).toMatchObject({ hasMoved: false });
  expect(await met.callTool(GO, {})).toMatchObject({ outcome: 'not_sent' });
  expect(await met.callTool(GO, {}, { definition })).toMatchObject({ outcome: 'done' });
  met.approveTool(GO, definition);
  expect(await met.callTool(GO, {})).toMatchObject({ outcome: 'done' });
});
