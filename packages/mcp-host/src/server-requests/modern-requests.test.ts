import type { JsonObject } from '@toolyard/protocol';
import { isJsonObject, parseJson } from '@toolyard/protocol';
import type { ScriptedMcp, ToolAction } from '@toolyard/testing';
import { eventually, startScriptedMcp } from '@toolyard/testing';
import { afterEach, describe, expect, test } from 'vitest';
import type { McpHost } from '../host/host.ts';
import type { McpHostOptions } from '../host/host-options.ts';
import { answersAll, FORM, SAMPLING } from '../node/test-fixtures/server-requests.ts';
import { connected } from '../node/test-fixtures/peers.ts';
import type { ServerRequestContext } from './answer-request.ts';

let host: McpHost | undefined;
let server: ScriptedMcp | undefined;
afterEach(async () => {
  await host?.close();
  await server?.close();
});

describe('input requests of a modern server', () => {
  const STATE = '  {"a":1}\u00e9\ud83d\ude00\n%00== ';
  const inputRequests = { city: { method: 'elicitation/create', params: FORM } };

  async function connect(does: ToolAction[], more: Partial<McpHostOptions> = {}): Promise<McpHost> {
    server = await startScriptedMcp({ era: 'modern', tools: [{ name: 'go', does }] });
    host = await connected([{ id: 'srv', transport: { type: 'http', url: server.url } }], {
      handlers: answersAll,
      ...more,
    });
    return host;
  }
  const call = (mcpHost: McpHost, options = {}): ReturnType<McpHost['callTool']> =>
    mcpHost.callTool({ serverId: 'srv', name: 'go' }, { trip: 1 }, options);
  const calls = (): JsonObject[] => server?.received.filter(({ method }) => method === 'tools/call') ?? [];

  test('get their answers, the unchanged state and a new request id', async () => {
    const mcpHost = await connect([
      { do: 'ask', inputRequests, requestState: STATE },
      { do: 'ask', requestState: 'second' },
      { do: 'echo_input' },
    ]);
    const { content } = await call(mcpHost);
    const [first] = content;
    const echoed = parseJson(first?.type === 'text' ? first.text : '');
    expect(echoed).toEqual({
      ok: true,
      value: { arguments: { trip: 1 }, inputResponses: null, requestState: 'second' },
    });
    expect(calls()[1]).toMatchObject({
      params: {
        name: 'go',
        requestState: STATE,
        inputResponses: { city: { action: 'accept', content: { city: 'Taipei', days: 3 } } },
      },
    });
    expect(new Set(calls().map(({ id }) => id)).size).toBe(3);
    const capabilities = calls().map(({ params }) => (isJsonObject(params) ? params['_meta'] : undefined));
    expect(capabilities[0]).toMatchObject({
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { url: {} }, sampling: {}, roots: {} },
    });
  });

  test('may be several at once', async () => {
    const mcpHost = await connect([
      {
        do: 'ask',
        inputRequests: {
          ...inputRequests,
          text: { method: 'sampling/createMessage', params: SAMPLING },
          folders: { method: 'roots/list' },
        },
      },
      { do: 'echo_input' },
    ]);
    await call(mcpHost);
    expect(calls()[1]).toMatchObject({
      params: {
        inputResponses: {
          city: { action: 'accept' },
          text: { model: 'demo' },
          folders: { roots: [{ uri: 'file:///srv/notes' }] },
        },
      },
    });
    expect(calls()[1]?.['params']).not.toHaveProperty('requestState');
  });

  test('attack 22: endless rounds end after ten', async () => {
    const mcpHost = await connect([{ do: 'ask', inputRequests, requestState: 'x', always: true }]);
    expect(await call(mcpHost)).toMatchObject({ isError: true, error: { code: 'tool_failed' } });
    expect(calls()).toHaveLength(11);
  });

  test('attack 22: a state over the limit is not sent back', async () => {
    const mcpHost = await connect([{ do: 'ask', requestState: 'x'.repeat(2_000_000) }]);
    expect(await call(mcpHost)).toMatchObject({ isError: true, error: { code: 'tool_failed' } });
    expect(calls()).toHaveLength(1);
  });

  test('without a handler fail the call with an error', async () => {
    const mcpHost = await connect([{ do: 'ask', inputRequests }], { handlers: { roots: () => [] } });
    expect(await call(mcpHost)).toMatchObject({
      isError: true,
      outcome: 'done',
      error: { code: 'tool_failed', message: expect.stringContaining('does not support') as string },
    });
  });

  test('are withdrawn when the call is cancelled', async () => {
    let asked: ServerRequestContext | undefined;
    const mcpHost = await connect([{ do: 'ask', inputRequests }], {
      handlers: {
        form: (_request, one) => {
          asked = one;
          return new Promise(() => undefined);
        },
      },
    });
    const stopper = new AbortController();
    const running = call(mcpHost, { signal: stopper.signal });
    await eventually(() => asked);
    expect(asked).toMatchObject({ serverId: 'srv', tool: { serverId: 'srv', name: 'go' } });
    stopper.abort();
    expect(await running).toMatchObject({ error: { code: 'cancelled' } });
    expect(asked?.signal.aborted).toBe(true);
    expect(calls()).toHaveLength(1);
  });

  test('work during prompts/get too', async () => {
    server = await startScriptedMcp({
      era: 'modern',
      capabilities: { prompts: {} },
      answers: {
        'prompts/list': { result: { prompts: [{ name: 'greet' }] } },
        'prompts/get': { result: { resultType: 'input_required', inputRequests } },
      },
    });
    host = await connected([{ id: 'srv', transport: { type: 'http', url: server.url } }], { handlers: answersAll });
    await expect(host.getPrompt('srv', 'greet')).rejects.toMatchObject({ code: 'tool_failed' });
    expect(server.received.filter(({ method }) => method === 'prompts/get')).toHaveLength(11);
  });
});
