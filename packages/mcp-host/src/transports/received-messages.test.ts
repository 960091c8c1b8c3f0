import type { Clock, JsonObject, JsonValue } from '@toolyard/protocol';
import { parseJson, systemClock } from '@toolyard/protocol';
import { cases, fc } from '@toolyard/testing/property';
import { describe, expect, test } from 'vitest';
import { LINES_PER_TURN } from './pacing.ts';
import { messagesIn, readableMessages } from './received-messages.ts';

const text = fc.string({ unit: fc.constantFrom('a', '[', ']', '{', '"', '\\n', 'é', '漢', '\u2028', ' ') });
const message = fc.record({ jsonrpc: fc.constant('2.0'), id: fc.nat(), result: fc.record({ text }) });
const batch = fc.oneof(
  message.map((one) => ({ sent: one as JsonValue, read: [one as JsonObject] })),
  fc
    .array(message, { minLength: 1, maxLength: 3 })
    .map((all) => ({ sent: all as JsonValue, read: all as JsonObject[] })),
  message.map((one) => ({ sent: { ...one, error: null } as JsonValue, read: [one as JsonObject] })),
);

/** An event as a server may write it: on one line or several, with other fields, with any line ends. */
const event = fc.record({
  body: batch,
  isPretty: fc.boolean(),
  before: fc.constantFrom('', 'event: message', 'id: 7', ': ping', 'event: message|id: 8|retry: 10'),
  hasSpace: fc.boolean(),
});

function written({
  body,
  isPretty,
  before,
  hasSpace,
}: { body: { sent: JsonValue } } & Record<string, unknown>): string[] {
  const data = JSON.stringify(body.sent, null, isPretty === true ? 2 : 0).split('\n');
  const fields = String(before) === '' ? [] : String(before).split('|');
  return [...fields, ...data.map((line) => `data:${hasSpace === true ? ' ' : ''}${line}`), ''];
}

/** Cuts bytes into chunks at these places. */
function splitChunks(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...at, bytes.length]
    .map((end, index) => bytes.slice(at[index - 1] ?? 0, end))
    .filter(({ length }) => length > 0);
}

function createResponse(chunks: readonly Uint8Array[], type: string): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  return new Response(body, { headers: { 'content-type': type } });
}

/** What a reader of event streams gets: the data of each event. */
function eventsIn(stream: string): JsonValue[] {
  return stream.split(/(?:\r\n|\n|\r){2}/).flatMap((one) => {
    const lines = one.split(/\r\n|\n|\r/).filter((line) => line.startsWith('data'));
    if (lines.length === 0) return [];
    const parsed = parseJson(lines.map((line) => line.replace(/^data: ?/, '')).join('\n'));
    return parsed.ok ? [parsed.value] : [];
  });
}

describe('an event stream', () => {
  test('contains each message of a batch as an event of its own', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { minLength: 1, maxLength: 4 }),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.array(fc.nat(), { maxLength: 8 }),
        async (events, end, cuts) => {
          const lines = events.flatMap(written);
          const bytes = new TextEncoder().encode(lines.map((line) => line + end).join(''));
          const stream = createResponse(splitChunks(bytes, cuts), 'text/event-stream; charset=utf-8');
          const read = await (await readableMessages(() => Promise.resolve(stream), systemClock)('http://x/')).text();
          expect(eventsIn(read)).toEqual(events.flatMap(({ body }) => body.read));
          for (const line of lines.filter((field) => /^(id|event|retry):/.test(field))) expect(read).toContain(line);
        },
      ),
      cases(300),
    );
  });

  test('passes each event on when it is complete', async () => {
    const body = new TransformStream<Uint8Array, Uint8Array>();
    const response = new Response(body.readable, { headers: { 'content-type': 'text/event-stream' } });
    const reader = (
      await readableMessages(() => Promise.resolve(response), systemClock)('http://x/')
    ).body?.getReader();
    const writer = body.writable.getWriter();
    for (const sent of ['data: [{"a":1},{"b":2}]\n\n', 'data: {"c":3}\r\r', 'data: {"d":4}\n\n']) {
      void writer.write(new TextEncoder().encode(sent));
      const { value } = ((await reader?.read()) ?? {}) as { value?: Uint8Array };
      expect(eventsIn(new TextDecoder().decode(value)).length).toBeGreaterThan(0);
    }
  });

  test('that floods lets everything else have its turn, and arrives whole', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(':', 'data: x', 'data: {"jsonrpc":"2.0","method":"m"}', 'event: a', ''),
        fc.constantFrom('\n', '\n\n', '\r', '\r\n\r\n'),
        fc.integer({ min: 1, max: 20 }),
        async (line, end, hundreds) => {
          const sent = (line + end).repeat(hundreds * 100);
          let rests = 0;
          const clock: Clock = { ...systemClock, after: (_ms, run) => (rests++, systemClock.after(0, run)) };
          const response = createResponse([new TextEncoder().encode(sent)], 'text/event-stream');
          const read = await (await readableMessages(() => Promise.resolve(response), clock)('http://x/')).text();
          const lines = (all: string): string[] => all.split(/\r\n?|\n/).filter((each) => each !== '');
          expect(lines(read)).toEqual(lines(sent));
          expect(rests).toBeGreaterThanOrEqual(Math.floor((hundreds * 100) / LINES_PER_TURN));
        },
      ),
      cases(20),
    );
  });

  test('stays as it is where its data is not JSON', async () => {
    const odd = 'data: [not\ndata: json\n\ndata\n\nevent: x\ndata: [1';
    const response = createResponse([new TextEncoder().encode(odd)], 'text/event-stream');
    const read = await (await readableMessages(() => Promise.resolve(response), systemClock)('http://x/')).text();
    expect(read.replace(/\n$/, '')).toBe(odd);
  });
});

test('the last event needs no blank line', async () => {
  for (const end of ['', '\n', '\r\n']) {
    for (const data of ['{"jsonrpc":"2.0","id":1,"result":{}}', '[{"jsonrpc":"2.0","id":1,"result":{}}]']) {
      const response = createResponse([new TextEncoder().encode(`data: ${data}${end}`)], 'text/event-stream');
      const read = await (await readableMessages(() => Promise.resolve(response), systemClock)('http://x/')).text();
      expect(read).toMatch(/^data: \{"jsonrpc":"2.0","id":1,"result":\{\}\}\r?\n\n$/);
    }
  }
});

test.each<[type: string, body: string, read: string]>([
  ['', '{"jsonrpc":"2.0"}', 'application/json'],
  ['text/plain', ' \n[]', 'application/json'],
  ['text/html', 'event: message\ndata: {}\n\n', 'text/event-stream'],
  ['application/json', ': ping\n\n', 'text/event-stream'],
  ['text/html', '<html></html>', 'text/html'],
  ['text/plain', 'Accepted', 'text/plain'],
  ['application/json', '', 'application/json'],
])('a body labelled %j that begins with %j is %j', async (type, body, read) => {
  const chunks = [...new TextEncoder().encode(body)].map((byte) => Uint8Array.of(byte));
  const response = createResponse(chunks, type);
  if (type === '') response.headers.delete('content-type');
  const received = await readableMessages(() => Promise.resolve(response), systemClock)('http://x/');
  expect(received.headers.get('content-type')).toBe(read);
  expect(await received.text()).toContain(body.trim());
});

describe('a received value', () => {
  test.each<[JsonValue, JsonValue[]]>([
    [{ jsonrpc: '2.0', id: 1, result: { a: null }, error: null }, [{ jsonrpc: '2.0', id: 1, result: { a: null } }]],
    [{ jsonrpc: '2.0', id: 1, result: null }, [{ jsonrpc: '2.0', id: 1, result: {} }]],
    [
      { jsonrpc: '2.0', id: null, error: { code: 1, message: '' } },
      [{ jsonrpc: '2.0', error: { code: 1, message: '' } }],
    ],
    [{ jsonrpc: '2.0', method: 'm', params: null }, [{ jsonrpc: '2.0', method: 'm' }]],
    [{ id: 1, result: { _meta: null, a: 1 } }, [{ jsonrpc: '2.0', id: 1, result: { a: 1 } }]],
    [{ jsonrpc: 2, method: 'm', params: { _meta: null } }, [{ jsonrpc: '2.0', method: 'm', params: {} }]],
    [
      [1, { jsonrpc: '2.0', method: 'm' }],
      [1, { jsonrpc: '2.0', method: 'm' }],
    ],
  ])('%j', async (sent, read) => {
    expect(messagesIn(sent)).toEqual(read);
    const response = createResponse([new TextEncoder().encode(JSON.stringify(sent))], 'application/json');
    const body: unknown = await (
      await readableMessages(() => Promise.resolve(response), systemClock)('http://x/')
    ).json();
    expect(body).toEqual(Array.isArray(sent) ? read : read[0]);
  });
});
