import { parseJson, type JsonObject, type Message } from '@toolyard/protocol';
import { describe, expect, test } from 'vitest';
import { assistant, call, request, result, system, tool, user } from '../test-fixtures/requests.ts';
import type { ChatRequest } from '../types.ts';
import type { OpenAiChatQuirks } from './quirks.ts';
import { toOutgoing } from './request.ts';
import { toOpenAiTools } from './tools.ts';

function body(more: Partial<ChatRequest> = {}, quirks: OpenAiChatQuirks = {}): JsonObject {
  const { body: text } = toOutgoing(request([system('s'), user('u')], more), quirks, new Set());
  const parsed = parseJson(text);
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.value as JsonObject;
}

const tools = [tool('f', { inputSchema: { type: 'object', properties: { x: { type: 'number' } } } }), tool('g')];

describe('requests', () => {
  test('are minimal: streaming with usage', () => {
    expect(body()).toEqual({
      model: 'scripted',
      messages: [
        { role: 'system', content: 's' },
        { role: 'user', content: 'u' },
      ],
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test('contain every parameter that is set, including zero', () => {
    const parameters = { temperature: 0, topP: 0.5, maxOutputTokens: 10, stop: ['x'], seed: 0 };
    expect(body({ parameters })).toMatchObject({ temperature: 0, top_p: 0.5, max_tokens: 10, stop: ['x'], seed: 0 });
    const other = body({ parameters }, { maxCompletionTokens: true });
    expect(other).toMatchObject({ max_completion_tokens: 10 });
    expect(other).not.toHaveProperty('max_tokens');
  });

  test('offer tools in their order', () => {
    expect(body({ tools })['tools']).toEqual([
      {
        type: 'function',
        function: {
          name: 'f',
          description: 'Does f.',
          parameters: { type: 'object', properties: { x: { type: 'number' } } },
        },
      },
      {
        type: 'function',
        function: { name: 'g', description: 'Does g.', parameters: { type: 'object', properties: {} } },
      },
    ]);
    expect(body({ tools })).not.toHaveProperty('tool_choice');
  });

  test('follow a tool list that was changed in place', () => {
    const [first, second] = tools;
    if (first === undefined || second === undefined) throw new Error('two tools are needed');
    const list = [first];
    expect(body({ tools: list })).toMatchObject({ tools: [{ function: { name: 'f' } }] });
    list[0] = second;
    expect(body({ tools: list })).toMatchObject({ tools: [{ function: { name: 'g' } }] });
  });

  test('keep the tools if none may be called, unless the server lacks that choice', () => {
    expect(body({ tools, toolChoice: 'none' })).toMatchObject({ tool_choice: 'none', tools: [{}, {}] });
    const without = body({ tools, toolChoice: 'none' }, { noToolChoiceNone: true });
    expect(without).not.toHaveProperty('tools');
    expect(without).not.toHaveProperty('tool_choice');
    expect(body({ toolChoice: 'none' })).not.toHaveProperty('tool_choice');
  });

  test('in text mode, describe the tools in the prompt and have no tools field', () => {
    const sent = body({ tools, toolMode: 'text' });
    expect(sent).not.toHaveProperty('tools');
    const prompt = JSON.stringify(sent['messages']);
    for (const word of ['Does f.', '<tool_call>', '<tool_response>', 'properties']) expect(prompt).toContain(word);
  });

  test('in text mode, do not describe tools that may not be called', () => {
    const prompt = JSON.stringify(body({ tools, toolMode: 'text', toolChoice: 'none' })['messages']);
    expect(prompt).not.toContain('Does f.');
    expect(prompt).toContain('Tools cannot be called');
  });
});

test.each([
  ['prefix', '"prefix":true'],
  ['continue_final_message', '"continue_final_message":true'],
] as const)('only an answer is continued with %s', (continuing, field) => {
  const sent = (...messages: Message[]): string =>
    toOutgoing(request(messages, { continues: true, tools }), { continuing }, new Set()).body;
  expect(sent(user('u'), assistant('half'))).toContain(field);
  expect(sent(user('u'), assistant('half', call('c1', 'f')), result('c1', 'f', 'r'))).not.toContain(field);
  expect(sent(user('u'))).not.toContain(field);
});

test('complete a tool schema without type or properties, and use the title as description', () => {
  const bare = tool('f', { inputSchema: { description: 'What' }, title: 'The F' });
  delete bare.description;
  expect(toOpenAiTools([bare])).toEqual([
    {
      type: 'function',
      function: {
        name: 'f',
        description: 'The F',
        parameters: { type: 'object', description: 'What', properties: {} },
      },
    },
  ]);
});
