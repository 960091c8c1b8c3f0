import type { JsonObject, JsonValue } from '@toolyard/protocol';
import { cases, fc } from '@toolyard/testing/property';
import { describe, expect, test } from 'vitest';
import { createDialect as anthropicDialect } from '../anthropic-messages/dialect.ts';
import { createDialect as bedrockDialect } from '../bedrock-converse/dialect.ts';
import { createDialect as geminiDialect } from '../google-gemini/dialect.ts';
import { createDialect as chatDialect } from '../openai-chat/dialect.ts';
import { createDialect as responsesDialect } from '../openai-responses/dialect.ts';
import { request, tool } from '../test-fixtures/requests.ts';
import type { StreamPart } from '../types.ts';
import { readArguments } from './arguments.ts';
import type { ApiDialect } from './dialect.ts';

type Call = { id: string; name: string; arguments: JsonObject };
type Event = [value: JsonValue, name?: string];

const errors = { server: 'http://h', address: 'http://h', model: 'm', hasKey: true, redact: (text: string) => text };

function readParts(dialect: ApiDialect, events: readonly Event[]): StreamPart[] {
  const answer = dialect.answer(request('hi', { tools: [tool('f'), tool('g')] }), errors);
  const out: StreamPart[] = [];
  for (const [value, name] of events) answer.read(value, out, name);
  answer.isStreamDone = true;
  answer.end(out);
  return out;
}

function callsIn(parts: readonly StreamPart[]): unknown[] {
  return parts.flatMap((part) =>
    part.type === 'tool_call' ? [{ index: part.index, id: part.id, name: part.name, arguments: part.arguments }] : [],
  );
}

const args = fc.dictionary(
  fc.constantFrom('cmd', 'x', 'in "quotes"'),
  fc.oneof(fc.constantFrom('ls', 'a {"b"} c', '}{', '\\', ''), fc.integer(), fc.constant({ deep: [1, null, {}] })),
  { maxKeys: 3 },
) as fc.Arbitrary<JsonObject>;
/** Different ids; names and arguments may be equal. */
const calls = fc
  .array(fc.record({ name: fc.constantFrom('f', 'g'), arguments: args }), { minLength: 1, maxLength: 3 })
  .map((all): Call[] => all.map((each, at) => ({ id: `call_${at}`, ...each })));
const habits = fc.record({
  pieces: fc.integer({ min: 1, max: 9 }),
  /** Sends something before the arguments, or them twice. */
  twice: fc.constantFrom('no', 'empty first', 'whole', 'pieces', 'all so far'),
  again: fc.constantFrom('no', 'each', 'all at the end'),
  place: fc.constantFrom('same', 'next', 'none'),
  spaced: fc.boolean(),
  /** What it sends for no arguments. */
  empty: fc.constantFrom('{}', 'null', '""', '[]', 'undefined', ' { }\n'),
  /** Numbers every block 0. */
  zero: fc.boolean(),
});
type Habits = {
  pieces: number;
  twice: string;
  again: string;
  place: string;
  spaced: boolean;
  empty: string;
  zero: boolean;
};

function cut(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));
}

function toText(call: Call, { spaced }: Habits): string {
  return JSON.stringify(call.arguments, null, spaced ? 1 : 0);
}

/** The pieces of a call's arguments, as a server with these habits sends them. */
function splitPieces(call: Call, server: Habits): string[] {
  const text = toText(call, server);
  const pieces = cut(text, server.pieces);
  switch (server.twice) {
    case 'empty first':
      return [server.empty, ...pieces];
    case 'whole':
      return [...pieces, text];
    case 'pieces':
      return [...pieces, ...pieces];
    case 'all so far':
      return pieces.map((_, at) => pieces.slice(0, at + 1).join(''));
    default:
      return pieces;
  }
}

const chunk = (delta: JsonObject, more: JsonObject = {}): Event => [{ choices: [{ index: 0, delta, ...more }] }];

function chatEvents(all: readonly Call[], server: Habits): Event[] {
  const delta = (item: JsonObject): Event => chunk({ tool_calls: [item] });
  const indexed = (at: number): JsonObject => (server.place === 'none' ? {} : { index: at });
  const whole = (call: Call, place: JsonObject): Event =>
    delta({ ...place, id: call.id, function: { name: call.name, arguments: toText(call, server) } });
  return [
    ...all.flatMap((call, at): Event[] => [
      delta({ ...indexed(at), id: call.id, function: { name: call.name, arguments: '' } }),
      ...splitPieces(call, server).map((piece) => delta({ ...indexed(at), function: { arguments: piece } })),
      ...(server.again === 'each' ? [whole(call, indexed(server.place === 'next' ? at + 50 : at))] : []),
    ]),
    ...(server.again === 'all at the end' ? all.map((call, at) => whole(call, indexed(at))) : []),
    ...(server.again === 'all at the end'
      ? [
          [
            {
              choices: [
                {
                  index: 0,
                  message: {
                    tool_calls: all.map((call) => ({
                      id: call.id,
                      function: { name: call.name, arguments: toText(call, server) },
                    })),
                  },
                },
              ],
            },
          ] satisfies Event,
        ]
      : []),
    chunk({}, { finish_reason: 'tool_calls' }),
  ];
}

function responsesEvents(all: readonly Call[], server: Habits): Event[] {
  const item = (call: Call): JsonObject => ({
    type: 'function_call',
    id: `fc_${call.id}`,
    call_id: call.id,
    name: call.name,
    arguments: toText(call, server),
  });
  return [
    ...all.flatMap((call, at): Event[] => {
      const places: Record<string, JsonObject> = {
        same: { output_index: at + 1 },
        next: { call_id: call.id },
        none: { item_id: `fc_${call.id}` },
      };
      // A changing item id says nothing beside the position.
      const place: JsonObject = server.zero
        ? { output_index: 0, item_id: `fc_${call.id}` }
        : { ...places[server.place], ...(server.spaced && server.place === 'same' ? { item_id: `new_${at}` } : {}) };
      const added = { ...item(call), arguments: '' };
      return [
        [{ type: 'response.output_item.added', ...place, item: added }],
        ...splitPieces(call, server).map((piece): Event => [
          { type: 'response.function_call_arguments.delta', ...place, delta: piece },
        ]),
        [{ type: 'response.function_call_arguments.done', ...place, arguments: toText(call, server) }],
        ...(server.again === 'each' ? [[{ type: 'response.output_item.added', ...place, item: added }] as Event] : []),
        [{ type: 'response.output_item.done', ...place, item: item(call) }],
      ];
    }),
    // A gateway leaves out the first item, so the positions differ.
    [{ type: 'response.completed', response: { status: 'completed', output: all.map(item) } }],
  ];
}

function anthropicEvents(all: readonly Call[], server: Habits): Event[] {
  const block = (call: Call, index: number, input: JsonValue): Event[] => [
    [{ type: 'content_block_start', index, content_block: { type: 'tool_use', id: call.id, name: call.name, input } }],
    ...splitPieces(call, server).map((piece): Event => [
      { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: piece } },
    ]),
    [{ type: 'content_block_stop', index }],
  ];
  return [
    [{ type: 'message_start', message: {} }],
    ...all.flatMap((call, at) =>
      block(
        call,
        server.zero ? 0 : at,
        server.twice === 'no' ? {} : server.spaced ? toText(call, server) : call.arguments,
      ),
    ),
    ...(server.again === 'no'
      ? []
      : all.flatMap((call, at) => block(call, server.zero ? 0 : server.place === 'same' ? at : at + 50, {}))),
    [{ type: 'message_delta', delta: { stop_reason: 'tool_use' } }],
  ];
}

function bedrockEvents(all: readonly Call[], server: Habits): Event[] {
  const block = (call: Call, at: number): Event[] => [
    [{ contentBlockIndex: at, start: { toolUse: { toolUseId: call.id, name: call.name } } }, 'contentBlockStart'],
    ...splitPieces(call, server).map((piece): Event => [
      { contentBlockIndex: at, delta: { toolUse: { input: piece } } },
      'contentBlockDelta',
    ]),
    [{ contentBlockIndex: at }, 'contentBlockStop'],
  ];
  return [
    ...all.flatMap(block),
    ...(server.again === 'no' ? [] : all.flatMap((call, at) => block(call, server.place === 'same' ? at : at + 50))),
    [{ stopReason: 'tool_use' }, 'messageStop'],
  ];
}

function geminiEvents(all: readonly Call[], server: Habits): Event[] {
  const part = (call: Call): JsonObject => ({ functionCall: { id: call.id, name: call.name, args: call.arguments } });
  const event = (parts: JsonObject[], more: JsonObject = {}): Event => [
    { candidates: [{ content: { parts }, ...more }] },
  ];
  return [
    ...all.map((call) => event([part(call)])),
    ...(server.again === 'no' ? [] : [event(all.map(part))]),
    event([], { finishReason: 'STOP' }),
  ];
}

describe('a call is read once, with its arguments, however often its pieces are sent', () => {
  test.each<[string, ApiDialect, (all: readonly Call[], server: Habits) => Event[]]>([
    ['openai-chat', chatDialect(), chatEvents],
    ['openai-responses', responsesDialect(), responsesEvents],
    ['anthropic-messages', anthropicDialect(), anthropicEvents],
    ['google-gemini', geminiDialect(), geminiEvents],
    ['bedrock-converse', bedrockDialect(), bedrockEvents],
  ])('%s', (_, dialect, eventsOf) => {
    fc.assert(
      fc.property(calls, habits, (all, server) => {
        const parts = readParts(dialect, eventsOf(all, server));
        expect(callsIn(parts)).toEqual(all.map((call, index) => ({ index, ...call })));
        expect(parts.filter(({ type }) => type === 'tool_call_start')).toHaveLength(all.length);
        expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'tool_calls' });
      }),
      cases(1000),
    );
  });
});

describe('two calls with equal arguments stay two', () => {
  const item = (index: number, id?: string): JsonObject => ({
    index,
    ...(id === undefined ? {} : { id }),
    function: { name: 'f', arguments: '{"x":1}' },
  });
  test.each([
    ['different indexes, no ids', [item(0), item(1)], 2],
    [
      'arguments alone at the next index',
      [
        { index: 0, id: 'a', function: { name: 'f' } },
        { index: 1, function: { arguments: '{"x":1}' } },
      ],
      1,
    ],
    [
      'the beginning of the arguments at another index',
      [{ ...item(0, 'a'), function: { name: 'f', arguments: '{"x":' } }, item(1, 'a')],
      1,
    ],
    ['different ids under one index', [item(0, 'a'), item(0, 'b')], 2],
    ['one id under two indexes', [item(0, 'a'), item(1, 'a')], 1],
    ['nothing that distinguishes them', [item(0), item(0)], 1],
    [
      'different arguments under one id',
      [item(0, 'a'), { ...item(0, 'a'), function: { name: 'f', arguments: '{"x":2}' } }],
      2,
    ],
  ])('%s', (_, items, count) => {
    const events = [...items.map((each) => chunk({ tool_calls: [each] })), chunk({}, { finish_reason: 'stop' })];
    expect(callsIn(readParts(chatDialect(), events))).toHaveLength(count);
  });
});

describe('arguments', () => {
  test.each<[string, JsonObject | null]>([
    ['', {}],
    ['null', {}],
    ['{"a":1}', { a: 1 }],
    ['undefined', {}],
    ['None', {}],
    ['[]', {}],
    ['""', {}],
    ['{}{"a":1}', { a: 1 }],
    ['null{"a":1}', { a: 1 }],
    ['""{"a":1}', { a: 1 }],
    ['undefined{"a":1}', { a: 1 }],
    ['[{"a":1}]', { a: 1 }],
    ['[{"a":1},{"a":2}]', null],
    ['{"a":1 /* one */, // two\n"b":2}', { a: 1, b: 2 }],
    ['{"a":"http://x /* no comment */"}', { a: 'http://x /* no comment */' }],
    ['{a: 1, b-c: "x"}', { a: 1, 'b-c': 'x' }],
    ['{"a":NaN,"b":undefined}', { a: null, b: null }],
    ['{"a":"""x "y"\nz"""}', { a: 'x "y"\nz' }],
    ['\ufeff{\u00a0"a":1}', { a: 1 }],
    ['{\\n"a": 1\\n}', { a: 1 }],
    ['{\\"a\\": \\"x\\"}', { a: 'x' }],
    ['{"a":"C:\\Users\\\\x"}', { a: 'C:\\Users\\x' }],
    ['{"a":1}{}', { a: 1 }],
    ['{"a":1}\n{"a":1}', { a: 1 }],
    ['{"a":1}{"a":1,"b":2}', { a: 1, b: 2 }],
    ['{"a":1}{"a":2}', null],
    ['{"a":1}{"a":', { a: 1 }],
    ['{"a":1}{"b":', null],
    ['{"a":"x\ny\tz"}', { a: 'x\ny\tz' }],
    ['{"a":1,}', { a: 1 }],
    ["{'a': True, 'b': None}", { a: true, b: null }],
    ['{"a":1}}', { a: 1 }],
    ['{"a":1}</tool_call>', { a: 1 }],
    ['```json\n{"a":1}\n```', { a: 1 }],
    ['"{\\"a\\":1}"', { a: 1 }],
    [JSON.stringify(JSON.stringify('{"a":1}')), { a: 1 }],
    ['{"a":1} and more', null],
    ['{"a":', null],
    ['[1]', null],
    ['7', null],
  ])('%j', (text, expected) => {
    expect(readArguments(text, false)).toEqual(expected);
  });

  test('that are truncated are never completed', () => {
    fc.assert(
      fc.property(args, fc.nat(), (value, at) => {
        const text = JSON.stringify(value);
        expect(readArguments(text.slice(0, at % text.length), true)).toBeNull();
      }),
    );
  });
});
