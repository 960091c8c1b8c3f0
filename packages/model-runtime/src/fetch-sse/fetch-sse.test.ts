import { createServer, type ServerResponse } from 'node:http';
import type { ErrorInfo } from '@toolyard/protocol';
import { createFakeClock, eventually, listenOnLoopback } from '@toolyard/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { StreamPart } from '../types.ts';
import { fetchSSE, type FetchSseOptions, type CompleteAnswer } from './index.ts';

/** Starts a server that handles every request with `answer`; returns its URL. */
async function served(answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((incoming, response) => {
    incoming.resume().on('end', () => answer(response));
  });
  const { origin, close } = await listenOnLoopback(server);
  onTestFinished(close);
  return `${origin}/webapi/chat/p`;
}

const events = (...frames: [string, unknown][]): string =>
  frames.map(([event, data]) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`).join('');

type Recorded = {
  parts: StreamPart[];
  finished?: [string, CompleteAnswer];
  failed?: [ErrorInfo, string];
  aborted?: string;
};

async function read(url: string, more: Partial<FetchSseOptions> = {}): Promise<Recorded> {
  const recorded: Recorded = { parts: [] };
  await fetchSSE(url, {
    body: { model: 'm', messages: [] },
    onMessageHandle: (part) => recorded.parts.push(part),
    onFinish: (text, answer) => void (recorded.finished = [text, answer]),
    onErrorHandle: (error, text) => void (recorded.failed = [error, text]),
    onAbort: (text) => void (recorded.aborted = text),
    ...more,
  });
  return recorded;
}

const stream = (body: string | Uint8Array[], more: { cut?: boolean; keepOpen?: boolean; type?: string } = {}) =>
  served((response) => {
    response.writeHead(200, { 'content-type': more.type ?? 'text/event-stream' });
    for (const piece of typeof body === 'string' ? [body] : body) response.write(piece);
    if (more.cut === true) setTimeout(() => response.destroy(), 20);
    else if (more.keepOpen !== true) response.end();
  });

describe('a complete answer', () => {
  const completeBody = events(
    ['reasoning', 'Let me see. '],
    ['text', 'data: is '],
    ['unheard_of', { a: 1 }],
    ['text', '"fine" 🙂\n'],
    ['tool_calls', [{ index: 0, id: 'c', type: 'function', function: { name: 'f' } }]],
    ['tool_calls', [{ index: 0, type: 'function', function: { arguments: '{"x":1}' } }]],
    ['tool_calls', [{ index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '' }, whole: true }]],
    ['base64_image', 'data:image/png;base64,AAAA'],
    ['grounding', { citations: [{ url: 'https://a.example/' }] }],
    ['notice', { code: 'retrying', text: 'Again.' }],
    ['usage', { totalInputTokens: 5, totalOutputTokens: 11, cost: 0.25 }],
    ['speed', { ttft: 10, latency: 1010, duration: 1000 }],
    ['stop', 'tool_calls'],
  );
  const expected = [
    'data: is "fine" 🙂\n',
    {
      reason: 'tool_calls',
      reasoning: 'Let me see. ',
      reasoningSignatures: [],
      toolCalls: [{ id: 'c', name: 'f', arguments: { x: 1 }, argumentsText: '{"x":1}' }],
      malformedToolCalls: [],
      images: [{ mimeType: 'image/png', source: { data: 'AAAA' } }],
      citations: [{ url: 'https://a.example/' }],
      notices: [{ code: 'retrying', text: 'Again.' }],
      usage: { inputTokens: 5, outputTokens: 11 },
      cost: 0.25,
      speed: { firstMs: 10, totalMs: 1010, tokensPerSecond: 11 },
    },
  ];

  test('is reported in pieces and then as a whole, at any chunk size', async () => {
    const bytes = new TextEncoder().encode(`retry: 1000\n\n: ping\n\n${completeBody}`);
    const single = Array.from(bytes, (_, at) => bytes.slice(at, at + 1));
    for (const body of [[bytes], single]) {
      const recorded = await read(await stream(body));
      expect(recorded.finished).toEqual(expected);
      expect(recorded.failed ?? recorded.aborted).toBeUndefined();
      expect(recorded.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')).toBe(expected[0]);
      expect(recorded.parts.at(-1)).toEqual({ type: 'finish', reason: 'tool_calls' });
    }
  });

  test('is read under any content type; everything after its end is ignored', async () => {
    const recorded = await read(await stream(completeBody + events(['text', 'more']), { type: 'text/plain' }));
    expect(recorded.finished).toEqual(expected);
  });
});

describe('a failed answer', () => {
  const failing = async (url: string, more: Partial<FetchSseOptions> = {}): Promise<[ErrorInfo, string]> => {
    const recorded = await read(url, more);
    expect(recorded.finished ?? recorded.aborted).toBeUndefined();
    if (recorded.failed === undefined) throw new Error('nothing was told');
    return recorded.failed;
  };

  test('keeps the parts before an error event', async () => {
    const body = events(
      ['text', 'half'],
      ['error', { type: 'quota_exceeded', message: 'Used up.', body: { hint: 'Pay.' } }],
    );
    expect(await failing(await stream(body))).toEqual([
      { code: 'quota_exceeded', message: 'Used up.', hint: 'Pay.' },
      'half',
    ]);
  });

  test.each([
    ['a stream without its final event', { cut: false }],
    ['a closed connection', { cut: true }],
  ])('keeps the parts before %s and completes no call', async (_, how) => {
    const body = events(
      ['text', 'half'],
      ['tool_calls', [{ index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }]],
    );
    const recorded = await read(await stream(`${body}event: text\ndata: "lo`, how));
    expect(recorded.failed).toEqual([expect.objectContaining({ code: 'stream_broken', retryable: true }), 'half']);
    expect(recorded.parts.some((part) => part.type === 'tool_call')).toBe(false);
  });

  test('reports a problem document of the server', async () => {
    const problem = {
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      detail: 'No such provider.',
      code: 'model_not_found',
      hint: 'Choose.',
    };
    const url = await served((response) =>
      response.writeHead(404, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem)),
    );
    expect((await failing(url))[0]).toEqual({ code: 'model_not_found', message: 'No such provider.', hint: 'Choose.' });
  });

  test.each([
    [200, '<!doctype html><html><script>alert(1)</script>', 'bad_response', /web page/],
    [404, '<html>', 'bad_response', /404 with a web page/],
    [502, '<html>nginx</html>', 'network', /502/],
    [200, '{"choices":[]}', 'bad_response', /something else/],
    [500, 'oops', 'bad_response', /500/],
  ] as const)('%i %s', async (status, body, code, message) => {
    const [error] = await failing(await served((response) => response.writeHead(status).end(body)));
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) as string });
    expect(JSON.stringify(error)).not.toMatch(/script|nginx|oops/);
  });

  test('reports an empty response, a refused connection and an invalid JSON event', async () => {
    expect((await failing(await stream('')))[0].code).toBe('stream_broken');
    expect((await failing('http://127.0.0.1:9/webapi/chat/p'))[0].code).toBe('network');
    expect((await failing(await stream('event: text\ndata: {oops\n\n')))[0].code).toBe('bad_response');
  });

  test('times out without data', async () => {
    const clock = createFakeClock();
    const reading = failing(await stream(events(['text', 'half']), { keepOpen: true }), {
      clock,
      idleTimeoutMs: 60_000,
    });
    let over = false;
    void reading.finally(() => (over = true));
    while (!over) {
      await clock.advance(20_000);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect((await reading)[0].code).toBe('timed_out');
    expect(clock.pending).toBe(0);
  });
});

test('reports the partial text once on abort and closes the connection', async () => {
  let disconnected = false;
  const url = await served((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(events(['text', 'so far']));
    response.on('close', () => (disconnected = true));
  });
  const controller = new AbortController();
  const recorded = await read(url, { signal: controller.signal, onMessageHandle: () => controller.abort() });
  expect(recorded).toMatchObject({ aborted: 'so far' });
  expect(recorded.finished ?? recorded.failed).toBeUndefined();
  await eventually(() => expect(disconnected).toBe(true));
});

test('passes an exception of a callback to the caller', async () => {
  const url = await stream(events(['text', 'a'], ['stop', 'stop']));
  const onMessageHandle = (): void => {
    throw new TypeError('of mine');
  };
  await expect(read(url, { onMessageHandle })).rejects.toThrow('of mine');
});
