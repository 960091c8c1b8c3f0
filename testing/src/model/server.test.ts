import { connect } from 'node:net';
import { once } from 'node:events';
import { cases, fc } from '../property.ts';
import type { JsonValue } from '@toolyard/protocol';
import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { reply, type StreamOptions } from './reply.ts';
import { startModelServer, type ModelScript, type ModelServer, type ModelServerOptions } from './server.ts';
import type { ModelReply } from './wire.ts';

const servers: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function start(script: ModelScript, options?: ModelServerOptions): Promise<ModelServer> {
  const server = await startModelServer(script, options);
  servers.push(server);
  return server;
}

function ask(server: ModelServer, init: RequestInit = {}): Promise<Response> {
  return fetch(`${server.url}/chat/completions`, { method: 'POST', body: '{"stream":true}', ...init });
}

async function readBody(scripted: ModelReply): Promise<string> {
  return (await ask(await start([scripted]))).text();
}

type Chunk = {
  choices: { index: number; delta: Record<string, unknown>; finish_reason: string | null }[];
  usage?: JsonValue;
};

/** The payloads of a body with one line per event, without `[DONE]`. */
function readChunks(body: string): Chunk[] {
  return body
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)) as Chunk);
}

function readText(body: string, index = 0): string {
  const deltas = readChunks(body).flatMap((chunk) => chunk.choices.filter((choice) => choice.index === index));
  return deltas.map((choice) => (choice.delta['content'] as string | undefined) ?? '').join('');
}

describe('a text reply', () => {
  test('streams the text in chunks, ends with stop and [DONE]', async () => {
    const server = await start([reply.text('Hello, wonderful world', { pieces: 5 })]);
    const response = await ask(server);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const body = await response.text();
    expect(readText(body)).toBe('Hello, wonderful world');
    const chunks = readChunks(body);
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '' });
    expect(chunks.length).toBe(1 + 5 + 1);
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop');
    expect(body.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  test('pauses in the middle until a test continues it, or repeats a write until then', async () => {
    const [held, repeating] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const server = await start([
      reply.text('abcd', { pieces: 1, hold: { until: held.promise } }),
      reply.text('abcd', { pieces: 1, hold: { until: repeating.promise, talking: true } }),
    ]);
    for (const { ending, isEnough, expected } of [
      { ending: held, isEnough: (text: string) => text === 'abc', expected: /^abcd$/ },
      { ending: repeating, isEnough: (text: string) => text.length > 30, expected: /^abcd{20,}$/ },
    ]) {
      let body = '';
      const read = (async () => {
        const response = await ask(server);
        const decoder = new TextDecoder();
        for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) body += decoder.decode(bytes);
      })();
      await eventually(() => isEnough(readText(body)));
      expect(body).not.toContain('[DONE]');
      ending.resolve();
      await read;
      expect(readText(body)).toMatch(expected);
      expect(body).toContain('[DONE]');
    }
  });

  test('streams reasoning first, and usage in its own chunk or in the last one', async () => {
    const usage = { prompt_tokens: 3, completion_tokens: 4 };
    const own = readChunks(await readBody(reply.text('answer', { reasoning: 'hm', usage })));
    expect(own[1]?.choices[0]?.delta).toEqual({ reasoning_content: 'hm' });
    expect(own.at(-1)).toMatchObject({ choices: [], usage });
    const last = readChunks(await readBody(reply.text('answer', { usage, usageIn: 'last-chunk' })));
    expect(last.at(-1)).toMatchObject({ choices: [{ finish_reason: 'stop' }], usage });
  });

  test('can omit its end, wholly or in part', async () => {
    const body = await readBody(reply.text('cut', { finish: null, done: false }));
    expect(body).not.toContain('[DONE]');
    expect(readChunks(body).every((chunk) => chunk.choices[0]?.finish_reason === null)).toBe(true);
    expect(readText(body)).toBe('cut');
  });

  test('can contain an error in the stream, in both forms', async () => {
    const plain = await readBody(reply.text('so far', { errorInStream: { error: { message: 'overloaded' } } }));
    expect(plain.endsWith('data: {"error":{"message":"overloaded"}}\n\n')).toBe(true);
    expect(readText(plain.replace(/data: \{"error.*/, ''))).toBe('so far');
    const named = await readBody(reply.text('', { errorInStream: { error: 'overloaded', named: true } }));
    expect(named).toContain('event: error\ndata: {"error":"overloaded"}\n\n');
  });

  test('streams further choices in parallel and finishes them', async () => {
    const body = await readBody(reply.text('first choice', { pieces: 3, otherChoices: ['second'] }));
    expect(readText(body, 0)).toBe('first choice');
    expect(readText(body, 1)).toBe('second');
    expect(readChunks(body).filter((chunk) => chunk.choices[0]?.finish_reason === 'stop')).toHaveLength(2);
  });

  test('never splits a code point', async () => {
    const text = '東京 👩‍🚀 😀😀😀';
    const body = await readBody(reply.text(text, { pieces: 1 }));
    expect(readText(body)).toBe(text);
    for (const chunk of readChunks(body)) {
      expect(JSON.stringify(chunk)).not.toMatch(/\\ud/);
    }
  });
});

describe('a reply with tool calls', () => {
  type Delta = { index?: number; id?: string; function: { name?: string; arguments: string } };
  const calls = [
    { id: 'a', name: 'add', arguments: { a: 1, b: 2 } },
    { name: 'echo', arguments: '{"broken": ' },
  ];
  const readDeltas = (body: string) =>
    readChunks(body).flatMap((chunk) => (chunk.choices[0]?.delta['tool_calls'] as Delta[] | undefined) ?? []);

  test('streams name and id once and the arguments in chunks', async () => {
    const body = await readBody(reply.toolCalls(calls, { text: 'Let me see.', pieces: 4 }));
    expect(readText(body)).toBe('Let me see.');
    const deltas = readDeltas(body);
    const joined = (index: number) =>
      deltas
        .filter((delta) => delta.index === index)
        .map((delta) => delta.function.arguments)
        .join('');
    expect([joined(0), joined(1)]).toEqual(['{"a":1,"b":2}', '{"broken": ']);
    expect(deltas.filter((delta) => delta.id !== undefined).map((delta) => [delta.id, delta.function.name])).toEqual([
      ['a', 'add'],
      ['call_2', 'echo'],
    ]);
    expect(readChunks(body).at(-1)?.choices[0]?.finish_reason).toBe('tool_calls');
  });

  test('supports the variations of servers', async () => {
    const repeated = readDeltas(await readBody(reply.toolCalls(calls, { repeatIds: true })));
    expect(repeated.every((delta) => delta.id !== undefined)).toBe(true);
    const noIndex = readDeltas(await readBody(reply.toolCalls(calls, { withoutIndex: true })));
    expect(noIndex.every((delta) => delta.index === undefined)).toBe(true);
    const whole = readDeltas(await readBody(reply.toolCalls(calls, { whole: true })));
    expect(whole.map((delta) => delta.function.arguments)).toEqual(['{"a":1,"b":2}', '{"broken": ']);
    const mixed = readDeltas(await readBody(reply.toolCalls(calls, { interleaved: true, pieces: 6 })));
    expect(mixed.map((delta) => delta.index)).toEqual([0, 1, 0, 1, 0, 1, 0]);
  });
});

describe('bytes on the wire', () => {
  const long: StreamOptions = { usage: { prompt_tokens: 1 }, comments: true };

  test('are the same for every split', async () => {
    const whole = await readBody(reply.text('Grüße aus 東京 😀', { ...long, split: 'whole' }));
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.constantFrom('event' as const, 'byte' as const),
          fc.integer({ min: 1, max: 200 }),
          fc.integer().map((seed) => ({ seed })),
        ),
        async (split) => {
          expect(await readBody(reply.text('Grüße aus 東京 😀', { ...long, split }))).toBe(whole);
        },
      ),
      cases(25),
    );
  });

  test('arrive in many reads when split by byte', async () => {
    const scripted = reply.text('Hi', { split: 'byte' });
    expect(scripted.writes.every((bytes) => bytes.length === 1)).toBe(true);
    const reader = (await ask(await start([scripted]))).body?.getReader();
    let reads = 0;
    while (reader !== undefined && !(await reader.read()).done) reads++;
    // The system may still merge some of them.
    expect(reads).toBeGreaterThan(10);
  });

  test('are split at the same places for the same seed', () => {
    const sizes = (seed: number) => reply.text('x'.repeat(300), { split: { seed } }).writes.map((b) => b.length);
    expect(sizes(7)).toEqual(sizes(7));
    expect(sizes(7)).not.toEqual(sizes(8));
  });

  test('may contain CRLF and comments', async () => {
    const body = await readBody(reply.text('x', { newline: '\r\n', comments: true }));
    expect(body.replaceAll('\r\n', '')).not.toContain('\n');
    expect(body).toMatch(/^: [^\r]+\r\n\r\ndata: \{/);
    expect(readText(body)).toBe('x');
  });

  test('are exactly those of raw writes', async () => {
    const bytes = new Uint8Array([0xff, 0x00, 0x0a]);
    const server = await start([reply.raw(['data: ', bytes], { headers: { 'content-type': 'text/odd' } })]);
    const response = await ask(server);
    expect(response.headers.get('content-type')).toBe('text/odd');
    const received = new Uint8Array(await response.arrayBuffer());
    expect([...received]).toEqual([...new TextEncoder().encode('data: '), ...bytes]);
  });

  test('may be custom events, JSON, errors and pages', async () => {
    expect(await readBody(reply.events([{ a: 1 }, '[DONE]']))).toBe('data: {"a":1}\n\ndata: [DONE]\n\n');
    const server = await start([
      reply.json({ object: 'chat.completion' }),
      reply.error(429, 'slow down', { 'retry-after': '2' }),
      reply.html(),
    ]);
    expect(await (await ask(server)).json()).toEqual({ object: 'chat.completion' });
    const error = await ask(server);
    expect([error.status, error.headers.get('retry-after')]).toEqual([429, '2']);
    expect(await error.json()).toEqual({ error: { message: 'slow down' } });
    const page = await ask(server);
    expect(page.headers.get('content-type')).toBe('text/html');
    expect(await page.text()).toContain('<html>');
  });

  test('end after everything scripted with thenCut', async () => {
    const server = await start([reply.text('almost the whole answer', { thenCut: true, done: false })]);
    const response = await ask(server);
    const decoder = new TextDecoder();
    let body = '';
    const read = async () => {
      for await (const piece of response.body ?? []) body += decoder.decode(piece as Uint8Array, { stream: true });
    };
    await expect(read()).rejects.toThrow();
    expect(readText(body)).toBe('almost the whole answer');
  });

  test('end after the head with thenCut and no body', async () => {
    const server = await start([reply.raw([], { thenCut: true })]);
    const response = await ask(server);
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
  });

  test('stop while the connection stays open until the client leaves', async () => {
    const server = await start([reply.text('then nothing', { thenSilence: true, finish: null, done: false })]);
    const leaving = new AbortController();
    const response = await ask(server, { signal: leaving.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    expect(server.requests[0]?.clientLeft).toBe(false);
    leaving.abort();
    await eventually(() => server.requests[0]?.clientLeft);
  });
});

describe('the server', () => {
  test('records its requests', async () => {
    const server = await start([reply.text('a'), reply.text('b')]);
    await (await ask(server, { headers: { 'x-test': '1' }, body: '{"model":"m"}' })).text();
    await (await ask(server, { body: 'not json' })).text();
    expect(server.requests).toMatchObject([
      { method: 'POST', path: '/v1/chat/completions', headers: { 'x-test': '1' }, body: { model: 'm' } },
      { text: 'not json', body: undefined, clientLeft: false },
    ]);
  });

  test('accepts a function of the request as a script', async () => {
    const server = await start(async (request, index) => reply.text(`${index}: ${request.text}`));
    expect(readText(await (await ask(server, { body: 'one' })).text())).toBe('0: one');
    expect(readText(await (await ask(server, { body: 'two' })).text())).toBe('1: two');
  });

  test('answers with an error when the script has ended or throws', async () => {
    const short = await start([]);
    const ended = await ask(short);
    expect(ended.status).toBe(500);
    expect(await ended.text()).toContain('The script has 0 replies; this is request 1.');
    const broken = await start(() => {
      throw new Error('oops');
    });
    const threw = await ask(broken);
    expect([threw.status, await threw.text()]).toEqual([500, expect.stringContaining('oops')]);
  });

  test('lists models', async () => {
    const server = await start([], { models: ['a', { id: 'b', max_model_len: 4096 }] });
    expect(await (await fetch(`${server.url}/models`)).json()).toMatchObject({
      data: [
        { id: 'a', object: 'model' },
        { id: 'b', max_model_len: 4096 },
      ],
    });
    const odd = await start([], { models: reply.html() });
    expect(await (await fetch(`${odd.url}/models`)).text()).toContain('<html>');
  });

  test.each([
    ['both', true, true],
    ['v1', true, false],
    ['root', false, true],
  ] as const)('serves %s', async (serveAt, atV1, atRoot) => {
    const server = await start(() => reply.text('x'), { serveAt });
    const statuses = await Promise.all(
      ['/v1/chat/completions', '/chat/completions'].map(async (path) => {
        const response = await fetch(`${server.origin}${path}`, { method: 'POST', body: '{}' });
        await response.text();
        return response.status;
      }),
    );
    expect(statuses).toEqual([atV1 ? 200 : 404, atRoot ? 200 : 404]);
    expect((await fetch(`${server.url}/models`)).status).toBe(200);
    expect((await fetch(`${server.url}/props`)).status).toBe(404);
  });

  test('requires its key before it asks the script', async () => {
    const server = await start([reply.text('in')], { requireKey: 'secret' });
    const outside = await ask(server);
    expect(outside.status).toBe(401);
    await outside.text();
    const inside = await ask(server, { headers: { authorization: 'Bearer secret' } });
    expect(readText(await inside.text())).toBe('in');
  });

  test('serves several requests on one connection', async () => {
    const server = await start(() => reply.text('again', { split: 'whole' }));
    const socket = connect(Number(new URL(server.origin).port), '127.0.0.1');
    let received = '';
    socket.setEncoding('utf8').on('data', (text: string) => (received += text));
    await once(socket, 'connect');
    for (const count of [1, 2, 3]) {
      socket.write('POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}');
      await eventually(() => received.split('[DONE]').length === count + 1);
    }
    socket.destroy();
    expect(server.requests).toHaveLength(3);
  });

  test('closes during replies, and twice', async () => {
    const server = await start([reply.text('slow', { delayMs: 60_000 }), reply.text('', { thenSilence: true })]);
    const pending = await Promise.all([ask(server), ask(server)]);
    await server.close();
    await server.close();
    for (const response of pending) await expect(response.text()).rejects.toThrow();
    await expect(ask(server)).rejects.toThrow();
  });
});
