import { createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@toolyard/protocol';
import { createFakeClock, ownPort, reply, startModelServer, type ModelReply } from '@toolyard/testing';
import { describe, expect, test } from 'vitest';
import { collect, errorIn, request, textIn, tool } from '../test-fixtures/requests.ts';
import { OPENAI_ADDRESSES } from '../openai/endpoints.ts';
import { baseUrlCandidates, endpointUrl } from '../wire/base-url.ts';
import { createOpenAiChatRuntime, type OpenAiChatOptions } from '../create-runtime.ts';

const KEY = 'sk-very-secret-0123456789';

function runtimeAt(baseUrl: string, more: Partial<OpenAiChatOptions> = {}) {
  return createOpenAiChatRuntime({ baseUrl, apiKey: KEY, fetch, clock: systemClock, maxRetries: 0, ...more });
}

async function failWith(scripted: ModelReply) {
  await using server = await startModelServer([scripted]);
  return errorIn(await collect(runtimeAt(server.url), request('hi')));
}

describe('provider errors', () => {
  const openai = (message: string, code: string | null = null, type = 'invalid_request_error') => ({
    error: { message, type, code },
  });
  test.each<[string, number, object, string, boolean?]>([
    ['a wrong key', 401, openai('Incorrect API key', 'invalid_api_key'), 'invalid_key'],
    ['no permission', 403, openai('Not allowed here'), 'invalid_key'],
    ['payment required', 402, openai('Pay first'), 'quota_exceeded'],
    ['quota used up', 429, openai('You exceeded your current quota', 'insufficient_quota'), 'quota_exceeded'],
    ['rate limit', 429, openai('Slow down'), 'rate_limited', true],
    [
      'context, OpenAI',
      400,
      openai("This model's maximum context length is 8192 tokens", 'context_length_exceeded'),
      'context_exceeded',
    ],
    [
      'context, vLLM',
      400,
      { object: 'error', message: 'The input is too long: maximum context length', type: 'BadRequestError', code: 400 },
      'context_exceeded',
    ],
    [
      'context, llama.cpp',
      400,
      {
        error: {
          code: 400,
          message: 'the request exceeds the available context size',
          type: 'exceed_context_size_error',
        },
      },
      'context_exceeded',
    ],
    ['no such model, OpenAI', 404, openai('The model `scripted` does not exist', 'model_not_found'), 'model_not_found'],
    ['no such model, Ollama', 404, { error: 'model "scripted" not found, try pulling it first' }, 'model_not_found'],
    ['no such model, with 400', 400, openai('scripted is not a valid model ID'), 'model_not_found'],
    ['overloaded', 503, openai('Loading model'), 'overloaded', true],
    [
      'overloaded, 529',
      529,
      { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
      'overloaded',
      true,
    ],
    ['bad gateway', 502, {}, 'overloaded', true],
    ['internal error', 500, openai('boom', null, 'server_error'), 'bad_response', true],
    ['content', 400, openai('flagged', 'content_filter'), 'refused'],
    ['a model hidden from this key', 403, openai('Project has no access to it', 'model_not_found'), 'model_not_found'],
    [
      'no credit, reported as a bad request',
      400,
      openai('Your credit balance is too low to access the API'),
      'quota_exceeded',
    ],
    [
      'a model of another API',
      404,
      openai('This model is only supported in v1/responses and not in v1/chat/completions.'),
      'bad_request',
    ],
    ['a bad request, FastAPI', 422, { detail: [{ loc: ['body'], msg: 'field required' }] }, 'bad_request'],
    ['a request timeout', 408, openai('timeout'), 'timed_out', true],
  ])('%s', async (_, status, body, code, retryable = false) => {
    const error = await failWith(reply.error(status, body as never));
    expect(error.code).toBe(code);
    expect(error.retryable ?? false).toBe(retryable);
    expect(error.message).toContain('http://127.0.0.1:');
  });

  test("contain the model and the provider's message", async () => {
    expect((await failWith(reply.error(404, openai('The model does not exist') as never))).message).toContain(
      '"scripted"',
    );
    expect((await failWith(reply.error(422, { detail: [{ msg: 'field required' }] }))).message).toContain(
      'field required',
    );
    expect((await failWith(reply.error(400, 'plain words'))).message).toContain('plain words');
  });

  test.each([
    [{ 'retry-after': '7' }, 7000],
    [{ 'retry-after-ms': '1500' }, 1500],
    [{ 'retry-after': new Date(Date.UTC(2026, 0, 1, 0, 1)).toUTCString() }, 60_000],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '-3' }, undefined],
    [{ 'retry-after': '"1.5"' }, 1500],
    [{ 'retry-after': '5, 10' }, 5000],
    [{ 'retry-after': '1m30s' }, 90_000],
    [{ 'retry-after': '500 ms' }, 500],
    [{ 'retry-after': String(Date.UTC(2026, 0, 1, 0, 2) / 1000) }, 120_000],
    [{ 'retry-after': String(Date.UTC(2026, 0, 1, 0, 2)) }, 120_000],
  ])('%o is the retry delay', async (headers, ms) => {
    await using server = await startModelServer([reply.error(429, 'slow down', headers)]);
    const clock = createFakeClock({ start: Date.UTC(2026, 0, 1) });
    const error = errorIn(await collect(runtimeAt(server.url, { clock }), request('hi')));
    expect(error.retryAfterMs).toBe(ms);
    expect(clock.pending).toBe(0);
  });

  test.each([
    ['Rate limit reached. Please try again in 20s.', 20_000],
    ['Please try again in 1m2.5s. Visit the console.', 62_500],
    ['Requests exceeded the limit. Please retry after 26 seconds.', 26_000],
    ['Wait for 2 minutes.', 120_000],
    ['Try again in a few minutes.', undefined],
    ['Try again in 3 fortnights.', undefined],
  ])('the delay of %j is found', async (message, ms) => {
    for (const scripted of [
      reply.error(429, { error: { message } }),
      reply.events([{ error: { message, code: 429, type: 'rate_limit_error' } }]),
    ])
      expect((await failWith(scripted)).retryAfterMs).toBe(ms);
  });

  test('contain neither the key nor a stack trace nor an endless text', async () => {
    const headers = { 'x-api-key': 'another-secret-1' };
    const message = `Wrong key ${KEY} and another-secret-1: ${'blah '.repeat(500)}\n    at Object.fn (/srv/app.js:1:1)`;
    for (const scripted of [
      reply.error(401, message),
      reply.error(500, `bad ${KEY} x\n    at fn (/srv/app.js:1:1)`),
      reply.text('a', { errorInStream: { error: { message: message } } }),
    ]) {
      await using server = await startModelServer([scripted]);
      const error = errorIn(await collect(runtimeAt(server.url, { headers }), request('hi')));
      const shown = JSON.stringify(error);
      expect(shown).not.toContain(KEY);
      expect(shown).not.toContain('another-secret');
      expect(shown).not.toContain('app.js');
      expect(error.message.length).toBeLessThan(400);
    }
  });

  test("names the user's label of the provider, with the address in the hint", async () => {
    await using server = await startModelServer([reply.text('ok')], { requireKey: 'other' });
    const labelled = { label: 'Office GPU' };
    expect(errorIn(await collect(runtimeAt(server.url, labelled), request('hi')))).toMatchObject({
      message: expect.stringMatching(/^Office GPU \(HTTP 401\): /),
      hint: expect.stringContaining(`Base URL: ${server.origin}`),
    });
    await server.close();
    const { message } = errorIn(await collect(runtimeAt(server.url, labelled), request('hi')));
    expect(message).toBe(`Cannot connect to Office GPU (${new URL(server.url).host}).`);
  });

  test('sends the key as a bearer token', async () => {
    await using server = await startModelServer([reply.text('ok')], { requireKey: KEY });
    expect(textIn(await collect(runtimeAt(server.url), request('hi')))).toBe('ok');
    expect(errorIn(await collect(runtimeAt(server.url, { apiKey: 'wrong' }), request('hi'))).code).toBe('invalid_key');
  });
});

describe('unsupported features', () => {
  test('stream_options: retries once without it and remembers', async () => {
    const refusal = reply.error(400, { error: { message: 'Unknown parameter: stream_options' } });
    await using server = await startModelServer([refusal, reply.text('one'), reply.text('two')]);
    const runtime = runtimeAt(server.url);
    expect(textIn(await collect(runtime, request('hi')))).toBe('one');
    expect(textIn(await collect(runtime, request('hi')))).toBe('two');
    expect(server.requests.map(({ text }) => text.includes('stream_options'))).toEqual([true, false, false]);
  });

  test('stream_options: reports a second rejection', async () => {
    const refusal = reply.error(400, { error: { message: 'Unknown parameter: stream_options' } });
    await using server = await startModelServer([refusal, refusal, refusal]);
    expect(errorIn(await collect(runtimeAt(server.url), request('hi'))).code).toBe('bad_request');
    expect(server.requests).toHaveLength(2);
  });

  test('tools: describes them in the prompt, adds a notice, and remembers this for the model', async () => {
    const refusal = reply.error(400, { error: 'registry.example/scripted does not support tools' });
    const call = reply.text('<tool_call>{"name":"f"}</tool_call>');
    await using server = await startModelServer([refusal, call, call]);
    const runtime = runtimeAt(server.url);
    const chatRequest = request('hi', { tools: [tool('f')] });
    const parts = await collect(runtime, chatRequest);
    expect(parts[0]).toMatchObject({ type: 'notice', code: 'tools_as_text' });
    expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'tool_calls' });
    expect((await collect(runtime, chatRequest)).some((part) => part.type === 'notice')).toBe(false);
    expect(server.requests.map(({ text }) => text.includes('"tools":['))).toEqual([true, false, false]);
  });
});

describe('tools that llama.cpp drops because the chat template does not support them', () => {
  const chatRequest = request('hi', { tools: [tool('f')] });
  const call = reply.text('<tool_call>{"name":"f"}</tool_call>');
  /** The header and properties of a real llama.cpp server. */
  const asLlama =
    (props: object, count: () => void): typeof fetch =>
    async (input, init) => {
      if (String(input instanceof Request ? input.url : input).endsWith('/props')) {
        count();
        return Response.json(props);
      }
      const { body, status, headers } = await fetch(input, init);
      return new Response(body, { status, headers: { ...Object.fromEntries(headers), server: 'llama.cpp' } });
    };

  test.each([
    ['does not support tools', { chat_template_caps: { supports_tools: false } }, [true, false, false]],
    ['supports tools', { chat_template_caps: { supports_tools: true } }, [true, true]],
    ['is not reported, as by older versions', { chat_template: '' }, [true, true]],
  ])('are described in the prompt if the template %s', async (_, props, native) => {
    await using server = await startModelServer([call, call, call]);
    let count = 0;
    const runtime = runtimeAt(server.url, { fetch: asLlama(props, () => (count += 1)) });
    const first = await collect(runtime, chatRequest);
    const second = await collect(runtime, chatRequest);
    expect(first.some((part) => part.type === 'notice' && part.code === 'tools_as_text')).toBe(native.length === 3);
    expect(second.some((part) => part.type === 'notice')).toBe(false);
    expect(server.requests.map(({ text }) => text.includes('"tools":['))).toEqual(native);
    expect(count).toBe(1);
  });

  test.each([
    [false, [false]],
    [true, [true]],
  ])('are sent once if a detection has read that the template has tools: %s', async (nativeTools, native) => {
    await using server = await startModelServer([call]);
    let count = 0;
    const props = { chat_template_caps: { supports_tools: nativeTools } };
    const knownModels = [{ id: 'scripted', nativeTools }];
    const runtime = runtimeAt(server.url, { fetch: asLlama(props, () => (count += 1)), knownModels });
    const parts = await collect(runtime, chatRequest);
    expect(parts.some((part) => part.type === 'notice' && part.code === 'tools_as_text')).toBe(!nativeTools);
    expect(server.requests.map(({ text }) => text.includes('"tools":['))).toEqual(native);
    expect(count).toBe(0);
  });
});

describe('base URLs', () => {
  test.each([
    ['http://h:1', ['http://h:1', 'http://h:1/v1']],
    ['http://h:1/', ['http://h:1', 'http://h:1/v1']],
    ['h:1', ['http://h:1', 'http://h:1/v1']],
    ['https://h/v1', ['https://h/v1']],
    ['https://h/v1///', ['https://h/v1']],
    ['https://h/v1/chat/completions', ['https://h/v1']],
    ['https://h/chat/completions/', ['https://h', 'https://h/v1']],
    ['https://h/api', ['https://h/api', 'https://h/api/v1']],
    ['https://h/api/paas/v4', ['https://h/api/paas/v4']],
    ['https://h/v1beta/openai/', ['https://h/v1beta/openai']],
    ['https://h/d/chat/completions?api-version=2', ['https://h/d?api-version=2', 'https://h/d/v1?api-version=2']],
  ])('%s', (baseUrl, candidates) => {
    expect(baseUrlCandidates(baseUrl, OPENAI_ADDRESSES)).toEqual(candidates);
  });

  test('keep a query after the endpoint', () => {
    expect(endpointUrl('https://h/d?api-version=2', '/models')).toBe('https://h/d/models?api-version=2');
  });

  test.each(['', 'ftp://h', 'http://', 'not an address', 'https://name:hunter2@h/v1'])(
    '%j is rejected without repeating its password',
    (baseUrl) => {
      const make = () => runtimeAt(baseUrl);
      expect(make).toThrow(expect.objectContaining({ code: 'bad_config' }));
      expect(make).not.toThrow('hunter2');
    },
  );

  test.each(['', '/', '/v1', '/v1/', '/v1/chat/completions', '/chat/completions'])(
    '%s is completed with /v1 if the API is there',
    async (suffix) => {
      await using server = await startModelServer([reply.text('one'), reply.text('two')], { serveAt: 'v1' });
      const runtime = runtimeAt(server.origin + suffix);
      expect(textIn(await collect(runtime, request('hi')))).toBe('one');
      const requestCount = server.requests.length;
      expect(textIn(await collect(runtime, request('hi')))).toBe('two');
      expect(server.requests).toHaveLength(requestCount + 1);
      expect(runtime.provider).toBe(server.origin);
    },
  );

  test('are used unchanged if the API is at the root', async () => {
    await using server = await startModelServer([reply.text('one')], { serveAt: 'root' });
    expect(textIn(await collect(runtimeAt(server.origin), request('hi')))).toBe('one');
    expect(server.requests).toHaveLength(1);
  });

  test('are completed after an HTML page at the first URL', async () => {
    await using server = await startModelServer([reply.text('one')], { serveAt: 'v1', otherwise: reply.html() });
    expect(textIn(await collect(runtimeAt(server.origin), request('hi')))).toBe('one');
  });

  test.each<[string, ModelReply]>([
    ['a web page', reply.html()],
    ['404', reply.error(404, 'Not Found')],
    ['405', reply.error(405, { detail: 'Method Not Allowed' })],
  ])('without a model server (%s): the error names both URLs tried', async (_, otherwise) => {
    await using server = await startModelServer([], { serveAt: 'root', otherwise });
    const error = errorIn(await collect(runtimeAt(`${server.origin}/app`), request('hi')));
    expect(error.code).toBe('not_a_model_server');
    expect(error.message).toContain(`${server.origin}/app/chat/completions`);
    expect(error.message).toContain(`${server.origin}/app/v1/chat/completions`);
    await expect(runtimeAt(`${server.origin}/app`).models()).rejects.toMatchObject({ code: 'not_a_model_server' });
  });

  test.each([
    ['a page without a content type', '<!DOCTYPE html><html></html>'],
    ['other text', 'It works!\n'],
  ])('%s is not a model server', async (_, page) => {
    const plain = { headers: { 'content-type': 'text/plain' }, split: 1 as const };
    await using server = await startModelServer([reply.raw([page], plain)]);
    expect(errorIn(await collect(runtimeAt(server.url), request('hi'))).code).toBe('not_a_model_server');
  });

  test('are not reported as wrong for a missing model', async () => {
    await using server = await startModelServer([reply.error(404, { error: 'model "scripted" not found' })]);
    expect(errorIn(await collect(runtimeAt(server.origin), request('hi'))).code).toBe('model_not_found');
    expect(server.requests).toHaveLength(1);
  });
});

describe('network errors', () => {
  test('connection refused: names host and port', async () => {
    const port = await ownPort();
    for (const host of ['127.0.0.1', 'localhost']) {
      const error = errorIn(await collect(runtimeAt(`http://${host}:${port}`), request('hi')));
      expect(error).toMatchObject({ code: 'network', retryable: true, hint: expect.stringContaining('running') });
      expect(error.message).toContain(`${host}:${port}`);
    }
  });

  test('unknown host', async () => {
    const error = errorIn(await collect(runtimeAt('http://no-such-host.invalid:81'), request('hi')));
    expect(error).toMatchObject({ code: 'network' });
    expect(error.message).toContain('no-such-host.invalid:81');
  });

  test('https to an http server', async () => {
    await using server = await startModelServer([]);
    const error = errorIn(await collect(runtimeAt(server.origin.replace('http:', 'https:')), request('hi')));
    expect(error.code).toBe('network');
    expect(`${error.message} ${error.hint ?? ''}`).toContain('http://');
  });

  test('connection closed without a response', async () => {
    const server = createServer((socket) => socket.on('data', () => socket.destroy())).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const error = errorIn(await collect(runtimeAt(`http://127.0.0.1:${port}`), request('hi')));
    expect(error).toMatchObject({ code: 'network', retryable: true });
    server.close();
  });

  test('an unusual exception of fetch becomes an error part', async () => {
    const failingFetch = () => Promise.reject(new Error(`who knows ${KEY}`));
    const error = errorIn(await collect(runtimeAt('http://h', { fetch: failingFetch }), request('hi')));
    expect(error.code).toBe('network');
    expect(JSON.stringify(error)).not.toContain(KEY);
  });
});

describe('model list', () => {
  test.each<[string, object, object[]]>([
    [
      'vLLM',
      { object: 'list', data: [{ id: 'a', owned_by: 'vllm', max_model_len: 4096 }] },
      [{ id: 'a', ownedBy: 'vllm', contextWindow: 4096 }],
    ],
    [
      'OpenRouter',
      {
        data: [
          { id: 'a/b', context_length: 8192, architecture: { input_modalities: ['image', 'file', 'text'] } },
          { id: 'a/b' },
        ],
      },
      [{ id: 'a/b', contextWindow: 8192, inputs: ['text', 'image'] }],
    ],
    [
      'Mistral',
      {
        data: [
          { id: 'a', capabilities: { vision: true, audio: true } },
          { id: 'b', capabilities: { vision: false } },
        ],
      },
      [{ id: 'a', inputs: ['text', 'image', 'audio'] }, { id: 'b' }],
    ],
    [
      'llama.cpp',
      { models: [{ name: 'x' }], data: [{ id: 'a', meta: { n_ctx_train: 131072 } }] },
      [{ id: 'a', contextWindow: 131072 }],
    ],
    ['Ollama', { models: [{ name: 'a:latest', model: 'a:latest' }, { nonsense: true }, 7] }, [{ id: 'a:latest' }]],
    ['Ollama without a model', { object: 'list', data: null }, []],
    ['a bare array', ['a', { id: 'b' }], [{ id: 'a' }, { id: 'b' }]],
  ])('of %s', async (_, body, models) => {
    await using server = await startModelServer([], { models: reply.json(body as never) });
    expect(await runtimeAt(server.origin).models()).toEqual(models);
  });

  test('throws ToolyardError', async () => {
    await using server = await startModelServer([], { requireKey: 'other' });
    await expect(runtimeAt(server.url).models()).rejects.toMatchObject({ name: 'ToolyardError', code: 'invalid_key' });
    await using otherServer = await startModelServer([], { models: reply.json({ hello: 'world' }) });
    await expect(runtimeAt(otherServer.url).models()).rejects.toMatchObject({ code: 'not_a_model_server' });
  });
});
