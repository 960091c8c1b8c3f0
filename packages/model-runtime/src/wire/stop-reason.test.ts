import type { JsonObject } from '@toolyard/protocol';
import { createFakeClock } from '@toolyard/testing';
import { describe, expect, test } from 'vitest';
import { createModelRuntime } from '../create-runtime.ts';
import { chunk, finish } from '../test-fixtures/openai-chat.ts';
import { joined, request } from '../test-fixtures/requests.ts';
import { createDialect as anthropicDialect } from '../anthropic-messages/dialect.ts';
import { createDialect as bedrockDialect } from '../bedrock-converse/dialect.ts';
import { createDialect as geminiDialect } from '../google-gemini/dialect.ts';
import { createDialect as chatDialect } from '../openai-chat/dialect.ts';
import { createDialect as responsesDialect } from '../openai-responses/dialect.ts';
import type { StreamPart } from '../types.ts';
import { meaningOfStop, type StopMeaning } from './stop-reason.ts';

const IDLE_MS = 60_000;

/** An answer that comes as `events`, with a pause before each but the first; then silence, an end, or a lost connection. */
async function read(
  events: readonly JsonObject[],
  pauseMs: number,
  end: 'silence' | 'end' | 'lost',
): Promise<StreamPart[]> {
  const clock = createFakeClock();
  const { readable: body, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const send = writable.getWriter();
  const runtime = createModelRuntime({
    wire: 'openai-chat',
    baseUrl: 'http://h/v1',
    fetch: () => Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } })),
    clock,
    maxRetries: 0,
    idleTimeoutMs: IDLE_MS,
  });
  const write = (event: JsonObject): void =>
    void send.write(new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`)).catch(() => undefined);
  const parts: StreamPart[] = [];
  let isOver = false;
  const reading = (async () => {
    for await (const batch of runtime.chat(request('hi'))) parts.push(...batch);
    isOver = true;
  })();
  // The clock is advanced only while the reader waits.
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  for (const [at, event] of events.entries()) {
    await settle();
    if (at > 0) await clock.advance(pauseMs);
    if (isOver) break;
    write(event);
  }
  await settle();
  if (!isOver && end === 'end') void send.close();
  if (!isOver && end === 'lost') void send.abort(new Error('connection reset'));
  while (!isOver) {
    await clock.advance(1000);
    await settle();
  }
  await reading;
  return joined(parts.filter(({ type }) => type !== 'timing'));
}

const early = (delta: JsonObject) => chunk(delta, { finish_reason: 'stop' });
const usage = { ...chunk({}), choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } };

test.each([
  ['beside reasoning', [early({ reasoning_content: 'Hm.' }), chunk({ content: 'One two.' }), finish('stop')]],
  ['beside every word', [early({ content: 'One ' }), early({ content: 'two.' })]],
  [
    'alone, after reasoning',
    [chunk({ reasoning_content: 'Hm.' }), finish('stop'), chunk({ content: 'One two.' }), finish('stop')],
  ],
  ['alone, before any word', [finish('stop'), chunk({ content: 'One two.' }), finish('stop')]],
  ['alone, between words', [chunk({ content: 'One ' }), finish('stop'), chunk({ content: 'two.' }), finish('stop')]],
])('%s does not end the answer, even before a pause', async (_, events) => {
  const parts = await read(events, 15_000, 'end');
  expect(parts.filter(({ type }) => type === 'text')).toEqual([{ type: 'text', text: 'One two.' }]);
  expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'stop' });
});

test('ends the answer if the server then sends nothing', async () => {
  const parts = await read([chunk({ content: 'One.' }), finish('stop'), usage], 1, 'silence');
  expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'stop' });
  expect(parts).toContainEqual(expect.objectContaining({ type: 'usage' }));
});

test('counts if the connection is lost after it; the answer is cut if words followed it', async () => {
  expect((await read([chunk({ content: 'One.' }), finish('stop')], 1, 'lost')).at(-1)).toEqual({
    type: 'finish',
    reason: 'stop',
  });
  const cut = await read([early({ content: 'One ' }), chunk({ content: 'two' })], 1, 'lost');
  expect(cut.at(-1)).toMatchObject({ type: 'error', error: { code: 'stream_broken' } });
});

const MEANINGS: Partial<Record<StopMeaning, string>> = {
  stop: 'stop STOP end_turn stop_sequence eos_token eos endTurn completed complete finish </s> <|im_end|> <|eot_id|> done',
  length:
    'length max_tokens MAX_TOKENS max_output_tokens model_length model_context_window_exceeded max_length maxTokens pause_turn',
  tool_calls: 'tool_calls tool_use function_call tool_call TOOL_CALLS toolUse',
  content_filter:
    'content_filter SAFETY content_filter:SAFETY RECITATION refusal guardrail_intervened content_filtered sensitive SPII LANGUAGE IMAGE_SAFETY PROHIBITED_CONTENT BLOCKLIST',
  error: 'error network_error insufficient_system_resource ERROR abort model_error',
  malformed:
    'MALFORMED_FUNCTION_CALL malformed_model_output MALFORMED_RESPONSE malformed_tool_use UNEXPECTED_TOOL_CALL function_call_filter:x',
  pending: 'null NONE in_progress',
  unknown: 'TOO_MANY_TOOL_CALLS OTHER NO_IMAGE MISSING_THOUGHT_SIGNATURE max_tool_calls FINISH_REASON_UNSPECIFIED zzz',
};

test.each(
  Object.entries(MEANINGS).flatMap(([meaning, reasons]) => reasons.split(' ').map((each) => [each, meaning] as const)),
)('the stop reason %s means: %s', (reason, meaning) => {
  expect(meaningOfStop(reason)).toBe(meaning);
});

type End = (reason: string) => [value: JsonObject, name?: string][];
const ENDS: readonly [wire: string, dialect: ReturnType<typeof chatDialect>, end: End][] = [
  [
    'openai-chat',
    chatDialect(),
    (reason) => [[chunk({ content: 'One.' })], [chunk({}, { finish_reason: reason })], [finish(reason)]],
  ],
  [
    'openai-chat behind a gateway',
    chatDialect(),
    (reason) => [[chunk({ content: 'One.' })], [chunk({}, { finish_reason: 'stop', native_finish_reason: reason })]],
  ],
  [
    'openai-responses',
    responsesDialect(),
    (reason) => [
      [{ type: 'response.output_text.delta', delta: 'One.' }],
      [{ type: 'response.incomplete', response: { status: 'incomplete', incomplete_details: { reason }, output: [] } }],
    ],
  ],
  [
    'anthropic-messages',
    anthropicDialect(),
    (reason) => [
      [{ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'One.' } }],
      [{ type: 'message_delta', delta: { stop_reason: reason } }],
    ],
  ],
  [
    'google-gemini',
    geminiDialect(),
    (reason) => [[{ candidates: [{ content: { parts: [{ text: 'One.' }] }, finishReason: reason }] }]],
  ],
  [
    'bedrock-converse',
    bedrockDialect(),
    (reason) => [
      [{ contentBlockIndex: 0, delta: { text: 'One.' } }, 'contentBlockDelta'],
      [{ stopReason: reason }, 'messageStop'],
    ],
  ],
];

describe.each(ENDS)('the end of an answer of %s', (_, dialect, end) => {
  const readParts = (reason: string): StreamPart[] => {
    const errors = { server: 'Fake', address: 'http://h', model: 'm', hasKey: true, redact: (text: string) => text };
    const answer = dialect.answer(request('hi'), errors);
    const out: StreamPart[] = [];
    for (const [value, name] of end(reason)) answer.read(value, out, name);
    answer.isStreamDone = true;
    answer.end(out);
    return joined(out);
  };
  const text: StreamPart = { type: 'text', text: 'One.' };

  test('shows a stop reason that is not known, and keeps the text', () => {
    const said = 'Fake ended the answer with the stop reason "TOO_MANY_TOOL_CALLS".';
    const parts = readParts('TOO_MANY_TOOL_CALLS');
    expect(parts.filter(({ type }) => type === 'text')).toEqual([text]);
    expect(parts.filter(({ type }) => type === 'notice')).toMatchObject([
      { type: 'notice', code: 'stop_reason', text: said },
    ]);
    expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'stop' });
  });

  test.each(['malformed_model_output', 'MALFORMED_RESPONSE', 'MALFORMED_FUNCTION_CALL'])(
    'reports %s once',
    (reason) => {
      const parts = readParts(reason);
      expect(parts.filter(({ type }) => type === 'text')).toEqual([text]);
      expect(parts.filter(({ type }) => type === 'malformed_tool_call')).toHaveLength(1);
      expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'tool_calls' });
    },
  );

  test.each([
    ['max_tokens', 'length'],
    ['SAFETY', 'content_filter'],
    ['end_turn', 'stop'],
  ])('knows %s', (reason, expected) => {
    expect(readParts(reason)).toEqual([text, { type: 'finish', reason: expected }]);
  });
});
