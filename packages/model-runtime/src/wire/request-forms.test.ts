import type { JsonObject } from '@toolyard/protocol';
import { createFakeClock } from '@toolyard/testing';
import { describe, expect, test } from 'vitest';
import { createDialect as anthropicDialect } from '../anthropic-messages/dialect.ts';
import { createDialect as converseDialect } from '../bedrock-converse/dialect.ts';
import { createDialect as geminiDialect } from '../google-gemini/dialect.ts';
import { createDialect as chatDialect } from '../openai-chat/dialect.ts';
import { createDialect as responsesDialect } from '../openai-responses/dialect.ts';
import { assistant, call, collect, errorIn, request, result, textIn, tool, user } from '../test-fixtures/requests.ts';
import { answered, notices, openAi, server, toolNames, type Rejection } from '../test-fixtures/rejecting-server.ts';
import { runtimeOver } from '../test-fixtures/wires.ts';
import type { ChatRequest } from '../types.ts';
import { namedTools } from './named-tools.ts';
import { FULL_SCHEMAS } from './tool-function.ts';

const complex = (name: string): ReturnType<typeof tool> =>
  tool(name, {
    inputSchema: {
      type: 'object',
      properties: { when: { anyOf: [{ type: 'string', format: 'date' }, { type: 'null' }] } },
    },
  });
const SETTINGS: Partial<ChatRequest> = { parameters: { temperature: 0, topP: 1, maxOutputTokens: 5 } };
const CONTENTS: readonly [what: string, more: Partial<ChatRequest>, repeats: number][] = [
  ['nothing special', {}, 0],
  ['an output limit', { parameters: { maxOutputTokens: 5 } }, 0],
  ['tools with simple schemas', { tools: [tool('a_1'), tool('b_1')] }, 1],
  ['tools with other schemas', { tools: [complex('a_1'), tool('b_1')] }, 2],
  ['tools as text', { tools: [complex('a_1')], toolMode: 'text' }, 0],
  ['extra fields', { parameters: { extra: { special: 1 } } }, 1],
  ['an answer format', { responseFormat: { type: 'json' } }, 1],
  ['extra fields and an answer format', { parameters: { extra: { special: 1 } }, responseFormat: { type: 'json' } }, 2],
  [
    'tools, extra fields and an answer format',
    { tools: [tool('a_1')], parameters: { extra: { special: 1 } }, responseFormat: { type: 'json' } },
    2,
  ],
];

describe('a rejected request', () => {
  test.each([
    ...[400, 422, 500].flatMap((status) => CONTENTS.map((each) => [status, ...each] as const)),
    [400, 'settings', SETTINGS, 1] as const,
    [422, 'settings', SETTINGS, 1] as const,
    // It may be temporary.
    [500, 'settings', SETTINGS, 0] as const,
  ])(
    'with HTTP %i and %s is repeated in simpler forms, and fails with the first reason',
    async (status, _, more, repeats) => {
      let count = 0;
      const { bodies, ask } = server(() => ({ status, error: openAi(`Reason ${(count += 1)}`) }));
      const parts = await ask(more);
      expect(errorIn(parts).message).toBe(`Fake (HTTP ${status}): Reason 1`);
      expect(bodies).toHaveLength(1 + repeats);
      expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1 + repeats);
      expect(notices(parts)).toEqual([]);
      // Nothing was learned from forms that did not help.
      await ask(more);
      expect(bodies[1 + repeats]).toEqual(bodies[0]);
    },
  );

  test.each([
    ...[401, 402, 403, 404, 408, 409, 413, 429, 501, 502, 503].map((status) => [status, openAi('No.')] as const),
    [400, openAi('This model has a maximum context length of 10 tokens')] as const,
    [400, openAi('Too long', { code: 'context_length_exceeded' })] as const,
    [400, openAi('Filtered', { code: 'content_filter' })] as const,
    [400, openAi('The model `m` does not exist')] as const,
    [500, openAi('Loading model')] as const,
  ])('with HTTP %i %j is not repeated', async (status, error) => {
    const { bodies, ask } = server(() => ({ status, error }));
    errorIn(await ask({ tools: [complex('a_1')], parameters: { extra: { special: 1 } } }));
    expect(bodies).toHaveLength(1);
  });

  test.each<[number, JsonObject | string]>([
    [405, openAi('Tool use is not allowed for this model')],
    [405, 'tools not allowed'],
    [409, openAi('Function calling conflicts with streaming')],
    [415, openAi('Unsupported field', { param: 'tools' })],
    [424, openAi('Dependency failed', { code: 'tools_unsupported' })],
    [501, openAi('Not implemented', { param: 'tools[0].function' })],
    [501, openAi('This model does not support tools.')],
    [502, openAi("Upstream rejected function 'search_files'")],
    [503, openAi('Invalid tool search_files')],
    [503, openAi('Bad field', { param: 'tools.0.function.parameters' })],
    [200, { error: { code: 500, message: 'Internal error' } }],
    [200, { error: { code: 501, message: 'tool_choice is not implemented' } }],
    [200, { error: { type: 'server_error', message: 'Cannot use tools here' } }],
    [200, { error: { code: 503, message: 'Schema of search_files: unsupported' } }],
  ])('with the status %i that does not decide and %j is repeated without tools', async (status, error) => {
    const { bodies, ask } = server((body) => (body['tools'] === undefined ? null : { status, error }));
    const tools = [tool('search_files')];
    expect(textIn(await ask({ tools }))).toBe('answered');
    expect(textIn(await ask({ tools }))).toBe('answered');
    expect(bodies.map((body) => body['tools'] !== undefined)).toEqual([true, false, false]);
  });

  test('is sent with the tools as text if its error still names a tool that was left out', async () => {
    const error = openAi("Cannot use function 'search_files'");
    const { bodies, ask } = server((body) => (body['tools'] === undefined ? null : { status: 501, error }));
    expect(textIn(await ask({ tools: [tool('search_files'), tool('other_tool')] }))).toBe('answered');
    expect(bodies.map(toolNames)).toEqual([['search_files', 'other_tool'], ['other_tool'], []]);
  });

  test.each<[number, JsonObject]>([
    ...[401, 402, 403, 404, 408, 413, 429].map((status): [number, JsonObject] => [
      status,
      openAi('tools[0] search_files is not supported'),
    ]),
    [409, openAi('Conflict')],
    [501, openAi('Not implemented')],
    [503, openAi('All tools are busy')],
    [405, openAi('Method not allowed')],
    [200, { error: { code: 429, message: 'search_files: slow down' } }],
    [200, { error: { code: 503, message: 'busy' } }],
    [200, { error: { type: 'server_error', message: 'Oops' } }],
    [501, openAi('Functionality not enabled: toolbox')],
  ])('with the status %i and %j is not repeated, even with tools', async (status, error) => {
    const { bodies, ask } = server(() => ({ status, error }));
    errorIn(await ask({ tools: [tool('search_files')] }));
    expect(bodies).toHaveLength(1);
  });

  test('is not repeated after output', async () => {
    const body = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'half' } }] })}\n\ndata: ${JSON.stringify({ error: { message: 'bad tools', code: 400 } })}\n\n`;
    let count = 0;
    const fetch = () => {
      count += 1;
      return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
    };
    const parts = await collect(
      runtimeOver('openai-chat', 'http://h.test/v1', { fetch }),
      request('hi', { tools: [complex('a')] }),
    );
    expect(textIn(parts)).toBe('half');
    expect(count).toBe(1);
  });

  test('is repeated if the error is the first event of a stream', async () => {
    const streamed = `data: ${JSON.stringify({ error: { message: 'No tools here', code: 400 } })}\n\n`;
    const sent: string[] = [];
    const fetch: typeof globalThis.fetch = (_, init) => {
      const text = typeof init?.body === 'string' ? init.body : '';
      sent.push(text);
      const stream = text.includes('"tools":[') ? streamed : (answered['openai-chat']?.('answered') ?? '');
      return Promise.resolve(new Response(stream, { headers: { 'content-type': 'text/event-stream' } }));
    };
    const runtime = runtimeOver('openai-chat', 'http://h.test/v1', { fetch });
    const parts = await collect(runtime, request('hi', { tools: [tool('f')] }));
    expect(textIn(parts)).toBe('answered');
    expect(notices(parts, 'tools_as_text')).toHaveLength(1);
    await collect(runtime, request('hi', { tools: [tool('f')] }));
    expect(sent).toHaveLength(3);
  });

  test('leaves out the tool that the error names, says so, and remembers it', async () => {
    const { bodies, ask } = server((_, text) =>
      text.includes('"bad_one"')
        ? { status: 400, error: openAi('Invalid schema', { param: 'tools[1].function.parameters' }) }
        : null,
    );
    const tools = [tool('good_one'), tool('bad_one'), tool('other')];
    const parts = await ask({ tools });
    expect(textIn(parts)).toBe('answered');
    expect(notices(parts, 'tool_left_out')).toEqual([
      'scripted at Fake rejected the tool bad_one, so it was left out: Invalid schema',
    ]);
    expect(notices(await ask({ tools }))).toEqual([]);
    expect(bodies.map(toolNames)).toEqual([
      ['good_one', 'bad_one', 'other'],
      ['good_one', 'other'],
      ['good_one', 'other'],
    ]);
    // A new definition of the tool is tried again; another model too.
    await ask({
      tools: [tool('bad_one', { inputSchema: { type: 'object', properties: { x: {} } } }), tool('good_one')],
    });
    await ask({ tools, model: 'another' });
    expect(toolNames(bodies[3])).toContain('bad_one');
    expect(toolNames(bodies.at(-2))).toContain('bad_one');
  });

  test('is sent with the tools as text if only the tools that it rejects are left', async () => {
    const { bodies, ask } = server((body) =>
      body['tools'] === undefined ? null : { status: 400, error: openAi("Invalid schema for function 'only_one'") },
    );
    const parts = await ask({ tools: [tool('only_one')] });
    expect(textIn(parts)).toBe('answered');
    expect(JSON.stringify(bodies.at(-1))).toContain('only_one');
    expect(notices(parts, 'tools_as_text')).toHaveLength(1);
  });

  test('is sent with simpler schemas first, silently', async () => {
    const { bodies, ask } = server((_, text) =>
      text.includes('"anyOf"') ? { status: 422, error: openAi('No') } : null,
    );
    const parts = await ask({ tools: [complex('a')] });
    expect(parts.map(({ type }) => type)).toEqual(['text', 'finish']);
    await ask({ tools: [complex('b')] });
    expect(bodies.map((body) => JSON.stringify(body).includes('anyOf'))).toEqual([true, false, false]);
    expect(toolNames(bodies[2])).toEqual(['b']);
  });

  test('keeps what it learned for the same combination only', async () => {
    const { bodies, ask } = server((body) =>
      body['grammar'] !== undefined && body['tools'] !== undefined
        ? { status: 400, error: openAi('Cannot use custom grammar constraints with tools.') }
        : null,
    );
    const extra = { grammar: 'root ::= "yes"', other: 1 };
    const first = await ask({ tools: [tool('f')], parameters: { extra } });
    expect(notices(first)).toEqual([
      'scripted at Fake rejected the extra field "grammar", so it was left out: Cannot use custom grammar constraints with tools.',
    ]);
    await ask({ tools: [tool('f')], parameters: { extra } });
    await ask({ parameters: { extra } });
    await ask({ tools: [tool('f')], toolMode: 'text', parameters: { extra } });
    expect(bodies.map((body) => body['grammar'] !== undefined)).toEqual([true, false, false, true, true]);
    expect(bodies.every((body) => body['other'] === 1)).toBe(true);
  });

  test('believes a rejection with HTTP 500 for a while only', async () => {
    const clock = createFakeClock();
    const { bodies, ask } = server((body) => (body['tools'] === undefined ? null : { status: 500, error: 'Oops' }), {
      clock,
    });
    await ask({ tools: [tool('f')] });
    await ask({ tools: [tool('f')] });
    expect(bodies).toHaveLength(3);
    await clock.advance(11 * 60_000);
    await ask({ tools: [tool('f')] });
    expect(bodies).toHaveLength(5);
  });

  test('that meets another error while it is repeated fails with that error', async () => {
    let count = 0;
    const { ask } = server(() => {
      count += 1;
      return count === 1 ? { status: 400, error: openAi('No tools') } : { status: 429, error: openAi('Slow down') };
    });
    expect(errorIn(await ask({ tools: [tool('f')] }))).toMatchObject({ code: 'rate_limited' });
  });

  test('is repeated with a status by which its provider reports models without tools', async () => {
    const error = openAi('No endpoints found that support tool use');
    const judge = (body: JsonObject): Rejection | null => (body['tools'] === undefined ? null : { status: 404, error });
    expect(textIn(await server(judge, { quirks: { toolRefusals: [404] } }).ask({ tools: [tool('f')] }))).toBe(
      'answered',
    );
    const { bodies, ask } = server(judge);
    errorIn(await ask({ tools: [tool('f')] }));
    expect(bodies).toHaveLength(1);
  });

  test('names no more tools than the provider accepts', async () => {
    const { bodies, ask } = server(() => null, { quirks: { maxTools: 2 } });
    const tools = [tool('a'), tool('b'), tool('c'), tool('d')];
    const texts = notices(await ask({ tools }), 'tool_left_out');
    expect(texts).toEqual(['scripted at Fake accepts at most 2 tools: 2 were left out.']);
    expect(notices(await ask({ tools }))).toEqual([]);
    await ask({ tools, toolChoice: { name: 'd' } });
    expect(bodies.map(toolNames)).toEqual([
      ['a', 'b'],
      ['a', 'b'],
      ['d', 'a'],
    ]);
  });
});

test('earlier calls are sent under the names of the schema, and the message stays as it was', async () => {
  const own = tool('find', { inputSchema: { type: 'object', properties: { $filter: { type: 'string' } } } });
  const { bodies, runtime } = server(() => null, {}, 'google-gemini');
  const messages = [
    user('hi'),
    assistant(call('c1', 'find', { $filter: 'x' })),
    result('c1', 'find', 'none'),
    user('go on'),
  ];
  await collect(runtime, request(messages, { tools: [own] }));
  const text = JSON.stringify(bodies[0]);
  expect(text).toContain('"args":{"filter":"x"}');
  expect(text).not.toContain('"$filter":');
  expect(JSON.stringify(messages)).toContain('$filter');
});

test.each<[string, string, string[]]>([
  ['tools[1].function.parameters', 'Invalid schema', ['list_files']],
  ['', 'tools.0.custom.input_schema: JSON schema is invalid', ['search']],
  ['', 'toolConfig.tools.1.toolSpec.inputSchema: null', ['list_files']],
  ['', '* GenerateContentRequest.tools[0].function_declarations[2].parameters.properties: empty', ['third']],
  ['tools.1.function', 'tools.1.function: Field required', ['list_files']],
  ['', "Invalid schema for function 'search': array schema missing items", ['search']],
  ['', 'Bad tool list_files.', ['list_files']],
  ['', 'tools is not supported; search the documentation', []],
  ['', 'my_list_files is unknown', []],
  ['', 'tools[9] is wrong', []],
])('the tools named by %j %j', (param, message, names) => {
  const tools = [tool('search'), tool('list_files'), tool('third')];
  expect(namedTools(tools, { param, message }).map(({ name }) => name)).toEqual(names);
});

test.each([chatDialect(), responsesDialect(), anthropicDialect(), geminiDialect(), converseDialect()])(
  '$wire sends normalized schemas, and plain ones if those were rejected',
  (dialect) => {
    const bad = tool('f', {
      inputSchema: {
        anyOf: [{ required: ['a'] }, { required: ['b'] }],
        properties: { a: { type: 'array' }, b: { type: ['string', 'null'], pattern: '\\d' } },
        required: null,
      },
    });
    const { body } = dialect.chat(request('hi', { tools: [bad] }), new Set());
    expect(body).toContain('"items":{');
    expect(body).toContain('pattern: \\\\d');
    expect(body).not.toMatch(/anyOf|"required":null|"pattern":/);
    const plain = dialect.chat(request('hi', { tools: [bad] }), new Set([FULL_SCHEMAS])).body;
    expect(plain).toContain('"b":{"type":"string"');
    expect(dialect.chat(request('hi', { tools: [bad] }), new Set()).body).toBe(body);
  },
);
