import type { JsonObject } from '@toolyard/protocol';
import { reply } from '@toolyard/testing';
import { describe, expect, test } from 'vitest';
import { ask, chunk, finish, tools } from '../test-fixtures/openai-chat.ts';
import { textIn } from '../test-fixtures/requests.ts';
import type { StreamPart } from '../types.ts';

const events = (...all: JsonObject[]) => reply.raw(all.map((each) => `data: ${JSON.stringify(each)}\n\n`));

function reasoningIn(parts: readonly StreamPart[]): string {
  return parts.map((part) => (part.type === 'reasoning' ? part.text : '')).join('');
}

describe('reasoning', () => {
  test.each<[string, JsonObject]>([
    ['reasoning_content', { reasoning_content: 'Hm.' }],
    ['reasoning', { reasoning: 'Hm.' }],
    ['reasoning beside an empty reasoning_content', { reasoning_content: '', reasoning: 'Hm.' }],
    ['reasoning_content beside an empty reasoning', { reasoning_content: 'Hm.', reasoning: '' }],
    ['both fields with the same text', { reasoning_content: 'Hm.', reasoning: 'Hm.' }],
    ['a field that is null', { reasoning_content: null, reasoning_text: 'Hm.' }],
    ['thinking', { thinking: 'Hm.' }],
    ['details without a field', { reasoning: '', reasoning_details: [{ type: 'reasoning.text', text: 'Hm.' }] }],
    ['details beside a field', { reasoning: 'Hm.', reasoning_details: [{ type: 'reasoning.text', text: 'Hm.' }] }],
    ['an item of the content', { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }] }],
    ['an item with plain text', { content: [{ type: 'reasoning', text: 'Hm.' }] }],
  ])('is read from %s', async (_, delta) => {
    const parts = await ask(events(chunk(delta), chunk({ content: 'Done.' }), finish('stop')));
    expect([reasoningIn(parts), textIn(parts)]).toEqual(['Hm.', 'Done.']);
  });
});

describe('a complete message after deltas', () => {
  const message = (value: JsonObject): JsonObject => ({
    choices: [{ index: 0, message: value, finish_reason: 'stop' }],
  });
  const whole = {
    content: 'Done.',
    reasoning_content: 'Hm.',
    tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{"x":1}' } }],
  };

  test('is not read again', async () => {
    const deltas = [
      chunk({ reasoning_content: 'Hm.' }),
      chunk({ content: 'Done.' }),
      chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{"x":1}' } }] }),
    ];
    const parts = await ask(events(...deltas, message(whole)), { tools });
    expect([reasoningIn(parts), textIn(parts)]).toEqual(['Hm.', 'Done.']);
    expect(parts.filter(({ type }) => type === 'tool_call')).toHaveLength(1);
  });

  test('is read as far as the deltas did not contain it', async () => {
    const parts = await ask(events(chunk({ reasoning_content: 'Hm.' }), message(whole)), { tools });
    expect([reasoningIn(parts), textIn(parts)]).toEqual(['Hm.', 'Done.']);
    expect(parts.filter(({ type }) => type === 'tool_call')).toHaveLength(1);
  });
});

test.each([
  ['function_call_filter: MALFORMED_FUNCTION_CALL', 'tool_calls'],
  ['function_call_filter: UNEXPECTED_TOOL_CALL', 'tool_calls'],
  ['malformed_tool_use', 'tool_calls'],
  ['content_filter: SAFETY', 'content_filter'],
  ['stop', 'stop'],
])('the finish reason %s', async (reason, expected) => {
  const parts = await ask(events(chunk({ role: 'assistant' }), finish(reason)), { tools });
  expect(parts.at(-1)).toEqual({ type: 'finish', reason: expected });
  expect(parts.some(({ type }) => type === 'malformed_tool_call')).toBe(expected === 'tool_calls');
});
