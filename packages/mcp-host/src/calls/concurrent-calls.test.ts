import type { ToolResult } from '@toolyard/protocol';
import { startScriptedMcp, within } from '@toolyard/testing';
import type { McpBehaviour } from '@toolyard/testing';
import { afterEach, describe, expect, test } from 'vitest';
import type { McpHost } from '../host/host.ts';
import { answersAll, FORM } from '../node/test-fixtures/server-requests.ts';
import { connected, scripted } from '../node/test-fixtures/peers.ts';
import type { ServerRequestHandlers } from '../server-requests/answer-request.ts';
import type { CallToolOptions, ServerConfig } from '../types.ts';

let host: McpHost | undefined;
afterEach(() => host?.close());

const inChat = (conversationId: string): CallToolOptions => ({ caller: { principal: 'anne', conversationId } });

function call(met: McpHost, name: string, options: CallToolOptions): Promise<ToolResult> {
  return met.callTool({ serverId: 'srv', name }, {}, options);
}

/** A user who answers with this city after `when`. */
function answersIn(city: string, when: Promise<void> = Promise.resolve()): ServerRequestHandlers {
  return { form: () => when.then(() => ({ action: 'accept', content: { city } })) };
}

/** Answers only when this many calls are in flight: sequential calls would wait forever. */
const barrier = (calls: number): McpBehaviour => ({
  tools: [
    {
      name: 'meet',
      does: [
        { do: 'barrier', calls },
        { do: 'text', text: 'met' },
      ],
    },
  ],
});

describe('calls of a legacy server that may send requests', () => {
  test.each(['eight conversations', 'one turn'])('of %s overlap on one connection', async (of) => {
    host = await connected([scripted('srv', barrier(8))], { handlers: answersAll });
    const met = host;
    const calls = Array.from({ length: 8 }, (_, at) => call(met, 'meet', inChat(of === 'one turn' ? 'a' : `${at}`)));
    const results = await within(Promise.all(calls), { what: 'eight calls in flight at once' });
    expect(results.map(({ content }) => content)).toEqual(
      Array.from({ length: 8 }, () => [{ type: 'text', text: 'met' }]),
    );
  });

  test('of one conversation proceed while a form in another one is open', async () => {
    const tools: McpBehaviour['tools'] = [
      { name: 'ask', does: [{ do: 'request', method: 'elicitation/create', params: FORM }, { do: 'tell_answers' }] },
      { name: 'echo', does: [{ do: 'echo' }] },
    ];
    host = await connected([scripted('srv', { tools })], { handlers: answersAll });
    const formShown = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    const handlers: ServerRequestHandlers = {
      form: async () => {
        formShown.resolve();
        await answered.promise;
        return { action: 'decline' };
      },
    };
    const callOfA = call(host, 'ask', { ...inChat('a'), handlers });
    await within(formShown.promise, { what: 'the form' });
    expect(await within(call(host, 'echo', inChat('b')), { what: 'the call of b' })).toMatchObject({ outcome: 'done' });
    answered.resolve();
    expect(JSON.stringify((await callOfA).content)).toContain('decline');
  });

  test('over HTTP get the requests sent on their own stream', async () => {
    await using server = await startScriptedMcp({
      tools: [
        {
          name: 'ask',
          does: [
            { do: 'barrier', calls: 3 },
            { do: 'request', method: 'elicitation/create', params: FORM },
            { do: 'barrier', calls: 6 },
            { do: 'tell_answers' },
          ],
        },
      ],
    });
    const config: ServerConfig = { id: 'srv', transport: { type: 'http', url: server.url } };
    host = await connected([config], { handlers: answersAll });
    const met = host;
    const cities = ['Taipei', 'Tainan', 'Hualien'];
    const results = await within(
      Promise.all(cities.map((city) => call(met, 'ask', { ...inChat(city), handlers: answersIn(city) }))),
      { what: 'the requests of three calls' },
    );
    expect(results.map(({ content }) => JSON.stringify(content))).toEqual(
      cities.map((city) => expect.stringContaining(city) as string),
    );
  });
});
