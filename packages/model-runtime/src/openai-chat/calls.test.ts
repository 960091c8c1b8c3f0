import type { JsonObject } from '@toolyard/protocol';
import { reply } from '@toolyard/testing';
import { describe, expect, test } from 'vitest';
import { ask, chunk, finish, tools } from '../test-fixtures/openai-chat.ts';
import { textIn } from '../test-fixtures/requests.ts';
import type { StreamPart } from '../types.ts';

describe('native calls', () => {
  const calls = [
    { id: 'one', name: 'f', arguments: { x: 'a {"b"} c', y: 1 } },
    { id: 'two', name: 'g', arguments: {} },
    { id: 'three', name: 'f', arguments: { x: 2 } },
  ];
  const callsIn = (parts: readonly StreamPart[]) =>
    parts.flatMap((part) =>
      part.type === 'tool_call' ? [{ index: part.index, id: part.id, name: part.name, arguments: part.arguments }] : [],
    );
  const expected = calls.map((each, index) => ({ index, ...each }));

  test.each([
    ['in pieces', {}],
    ['one character at a time', { pieces: 1 }],
    ['id and name on every delta', { repeatIds: true, pieces: 3 }],
    ['without index', { withoutIndex: true }],
    ['without index, complete', { withoutIndex: true, whole: true }],
    ['without index, id and name on every delta', { withoutIndex: true, repeatIds: true, pieces: 3 }],
    ['whole', { whole: true }],
    ['interleaved', { interleaved: true, pieces: 2 }],
  ])('%s', async (_, options) => {
    const parts = await ask(reply.toolCalls(calls, options), { tools });
    expect(callsIn(parts)).toEqual(expected);
    expect(parts.filter((part) => part.type === 'tool_call_start').map((part) => part.index)).toEqual([0, 1, 2]);
    expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'tool_calls' });
    for (const call of parts.filter((part) => part.type === 'tool_call')) {
      const deltas = parts.filter((part) => part.type === 'tool_call_delta' && part.index === call.index);
      expect(deltas.map((part) => (part.type === 'tool_call_delta' ? part.argumentsText : '')).join('')).toBe(
        call.argumentsText,
      );
    }
  });

  test.each([
    ['with index', {}],
    ['without index, complete', { withoutIndex: true, whole: true }],
  ])('gives a distinct id to the second of two calls with the same id, %s', async (_, options) => {
    const same = calls.map((each) => ({ ...each, id: 'call_1' }));
    expect(callsIn(await ask(reply.toolCalls(same, options), { tools }))).toEqual(
      expected.map((each) => ({ ...each, id: 'call_1' })),
    );
  });

  const delta = (item: JsonObject) => chunk({ tool_calls: [item] });
  const expectedCalls = [{ index: 0, id: 'i', name: 'get_weather', arguments: { x: 1 } }];
  test.each<[string, JsonObject[], unknown[]]>([
    [
      'the name in pieces',
      [
        delta({ index: 0, id: 'i', function: { name: 'get_' } }),
        delta({ index: 0, function: { name: 'weather' } }),
        delta({ index: 0, function: { arguments: '{"x":1}' } }),
      ],
      expectedCalls,
    ],
    [
      'arguments before the name',
      [
        delta({ index: 0, id: 'i', function: { arguments: '{"x"' } }),
        delta({ index: 0, function: { name: 'get_weather', arguments: ':1}' } }),
      ],
      expectedCalls,
    ],
    [
      'arguments as an object',
      [delta({ index: 0, id: 'i', function: { name: 'get_weather', arguments: { x: 1 } } })],
      expectedCalls,
    ],
    [
      'arguments encoded twice',
      [delta({ index: 0, id: 'i', function: { name: 'get_weather', arguments: JSON.stringify('{"x":1}') } })],
      expectedCalls,
    ],
    [
      'a different id on every delta',
      [
        delta({ index: 0, id: 'i', function: { name: 'get_weather', arguments: '{"x"' } }),
        delta({ index: 0, id: 'j', function: { arguments: ':1}' } }),
      ],
      expectedCalls,
    ],
    [
      'every call numbered 0',
      [
        delta({ index: 0, id: 'i', function: { name: 'get_weather', arguments: '{"x":1}' } }),
        delta({ index: 0, id: 'j', function: { name: 'get_weather', arguments: '{"x":1}' } }),
      ],
      [...expectedCalls, { ...expectedCalls[0], index: 1, id: 'j' }],
    ],
    [
      'several without index in one delta',
      [
        chunk({
          tool_calls: [
            { id: 'i', function: { name: 'get_weather', arguments: '{"x":1}' } },
            { id: 'j', function: { name: 'b' } },
          ],
        }),
      ],
      [...expectedCalls, { index: 1, id: 'j', name: 'b', arguments: {} }],
    ],
    [
      'an additional empty delta',
      [delta({}), delta({ index: 0, id: 'i', function: { name: 'get_weather', arguments: '{"x":1}' } })],
      expectedCalls,
    ],
    [
      'the legacy function_call',
      [
        chunk({ function_call: { name: 'get_weather', arguments: '{"x"' } }),
        chunk({ function_call: { arguments: ':1}' } }),
      ],
      [{ ...expectedCalls[0], id: undefined }],
    ],
    [
      'malformed arguments',
      [delta({ index: 0, id: 'i', function: { name: 'get_weather', arguments: '{"x":' } })],
      [{ ...expectedCalls[0], arguments: null }],
    ],
    [
      'arguments that are a list',
      [delta({ index: 0, id: 'i', function: { name: 'get_weather', arguments: '[1]' } })],
      [{ ...expectedCalls[0], arguments: null }],
    ],
  ])('%s', async (_, chunks, expectedCalls) => {
    const parts = await ask(reply.raw([...chunks, finish('stop')].map((each) => `data: ${JSON.stringify(each)}\n\n`)), {
      tools,
    });
    expect(callsIn(parts)).toEqual(expectedCalls);
    expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'tool_calls' });
  });

  test('does not take arguments truncated before their first character for empty ones', async () => {
    const parts = await ask(reply.toolCalls([{ id: 'i', name: 'f', arguments: '' }], { finish: 'length' }), { tools });
    expect(callsIn(parts)).toEqual([{ index: 0, id: 'i', name: 'f', arguments: null }]);
    expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'length' });
  });

  test('never completes a call without a name', async () => {
    const parts = await ask(
      reply.events([
        delta({ index: 0, id: 'i', function: { arguments: '{"x":1}' } }),
        finish('tool_calls'),
        '[DONE]',
      ] as never),
      { tools },
    );
    expect(parts).toContainEqual({
      type: 'malformed_tool_call',
      raw: '{"x":1}',
      reason: expect.stringContaining('name'),
    });
    expect(callsIn(parts)).toEqual([]);
  });
});

describe('calls written as text', () => {
  const written =
    'Let me see.\n<tool_call>{"name":"f","arguments":{"x":1}}</tool_call><tool_call>{"name":"g"}</tool_call>';

  test.each(['native', 'text'] as const)('are parsed in tool mode %s', async (toolMode) => {
    expect(await ask(reply.text(written, { pieces: 3 }), { tools, toolMode })).toEqual([
      { type: 'text', text: 'Let me see.' },
      { type: 'tool_call_start', index: 0, name: 'f', isText: true },
      {
        type: 'tool_call',
        index: 0,
        name: 'f',
        arguments: { x: 1 },
        argumentsText: '{"x":1}',
        text: { raw: '\n<tool_call>{"name":"f","arguments":{"x":1}}</tool_call>', at: 11, toolMode },
      },
      { type: 'tool_call_start', index: 1, name: 'g', isText: true },
      {
        type: 'tool_call',
        index: 1,
        name: 'g',
        arguments: {},
        argumentsText: '{}',
        text: { raw: '<tool_call>{"name":"g"}</tool_call>', at: 11, toolMode },
      },
      { type: 'finish', reason: 'tool_calls' },
    ]);
  });

  test('get ids if `newId` is set', async () => {
    const parts = await ask(reply.text(written), { tools }, { newId: () => 'fresh' });
    expect(parts).toContainEqual(expect.objectContaining({ type: 'tool_call', index: 1, id: 'fresh' }));
  });

  test('stay text if no tools are offered', async () => {
    expect(textIn(await ask(reply.text(written)))).toBe(written);
  });

  test('are ignored beside native calls', async () => {
    const parts = await ask(reply.toolCalls([{ name: 'f', arguments: { x: 1 } }], { text: written }), { tools });
    expect(parts.filter((part) => part.type === 'tool_call')).toHaveLength(1);
    expect(parts).toContainEqual(expect.objectContaining({ type: 'notice', code: 'text_calls_dropped' }));
    expect(textIn(parts)).toBe('Let me see.');
  });

  test('are reported if malformed; well-formed ones beside them are made', async () => {
    const parts = await ask(reply.text('<tool_call>{bad}</tool_call><tool_call>{"name":"g"}</tool_call>'), { tools });
    expect(parts.map((part) => part.type)).toEqual(['malformed_tool_call', 'tool_call_start', 'tool_call', 'finish']);
  });

  test('are parsed if the prompt opened the thinking block', async () => {
    const parts = await ask(reply.text('so</think>yes'), { tools }, { quirks: { startsInReasoning: true } });
    expect(parts.slice(0, 2)).toEqual([
      { type: 'reasoning', text: 'so' },
      { type: 'text', text: 'yes' },
    ]);
  });
});
