import type { JsonObject, Message } from '@toolyard/protocol';
import { shortId } from '../wire/call-ids.ts';
import { describe, expect, test } from 'vitest';
import { body } from '../test-fixtures/anthropic-messages.ts';
import { assistant, call, request, result, system, tool, user } from '../test-fixtures/requests.ts';
import { getModelTraits } from './models-data.ts';
import { toOutgoing } from './request.ts';

/** Strips the prompt cache markers, which most tests do not concern. */
function unmarked(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, item: unknown) => (key === 'cache_control' ? undefined : item)));
}

const png = { type: 'image', mimeType: 'image/png', source: { data: 'iVBORw0KGgo=' } } as const;
const tools = [tool('f'), tool('g')];

describe('requests', () => {
  test('separates the system prompt, alternates roles, puts results first in the turn after the calls', () => {
    const messages = [
      system('Be kind.'),
      user('one'),
      user('two', png),
      assistant('Let me see.', call('r.1.0', 'f', { x: 1 }, 'functions.f:0'), call('r.1.1', 'g', {}, 'toolu_9')),
      result('r.1.0', 'f', { content: [{ type: 'text', text: 'seen' }, png] }),
      result('r.1.1', 'g', { content: [{ type: 'text', text: 'no such file' }], isError: true }),
      user('and?'),
    ];
    const sent = body(messages, { tools });
    expect(unmarked(sent['system'])).toEqual([{ type: 'text', text: 'Be kind.' }]);
    expect(unmarked(sent['messages'])).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'one' },
          { type: 'text', text: 'two' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Let me see.' },
          { type: 'tool_use', id: shortId('r.1.0'), name: 'f', input: { x: 1 } },
          { type: 'tool_use', id: 'toolu_9', name: 'g', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: shortId('r.1.0'),
            content: [
              { type: 'text', text: 'seen\n[image: shown below]' },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
            ],
          },
          { type: 'tool_result', tool_use_id: 'toolu_9', content: 'Error: no such file', is_error: true },
          { type: 'text', text: 'and?' },
        ],
      },
    ]);
    expect(unmarked(sent['tools'])).toEqual([
      { name: 'f', description: 'Does f.', input_schema: { type: 'object', properties: {} } },
      { name: 'g', description: 'Does g.', input_schema: { type: 'object', properties: {} } },
    ]);
  });

  test('encodes documents and URLs, and describes what the API does not support', () => {
    const [turn] = body([
      user(
        { type: 'file', mimeType: 'application/pdf', name: 'a.pdf', source: { data: 'JVBERi0x' } },
        { type: 'image', mimeType: 'image/png', source: { url: 'https://example.org/a.png' } },
        { type: 'audio', mimeType: 'audio/wav', source: { data: 'UklGRgAAAABXQVZF' } },
        '   ',
      ),
    ])['messages'] as JsonObject[];
    expect(unmarked(turn?.['content'])).toEqual([
      { type: 'document', title: 'a.pdf', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0x' } },
      { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } },
      { type: 'text', text: '[audio, audio/wav: cannot be sent to this model]' },
    ]);
  });

  test('puts cache markers on the prefix and the last two user turns, at most four', () => {
    const turn = (n: number) => [user(`q${n}`), assistant(`a${n}`)];
    const messages = [system('s'), ...turn(1), ...turn(2), ...turn(3), user('last')];
    const marks = (sent: JsonObject) => JSON.stringify(sent).match(/"cache_control"/g)?.length;
    const sent = body(messages, { tools });
    expect(marks(sent)).toBe(3);
    const turns = sent['messages'] as JsonObject[];
    expect(turns.map((each) => JSON.stringify(each).includes('cache_control'))).toEqual([
      false,
      false,
      false,
      false,
      true,
      false,
      true,
    ]);
    expect(JSON.stringify(sent['system'])).toContain('"cache_control":{"type":"ephemeral"}');
    expect(JSON.stringify(body([user('q')], { tools })['tools'])).toMatch(/"g".*cache_control/);
    expect(marks(body(messages, { tools }, ['cache_control']))).toBeUndefined();
  });

  test('keeps the request prefix byte-identical from turn to turn', () => {
    const first = [system('s'), user('q'), assistant('a', call('c1', 'f')), result('c1', 'f', 'r')];
    const text = (messages: Message[]) =>
      toOutgoing(request(messages, { tools, model: 'claude-opus-4-8' }), { noCacheMarks: true }, new Set()).body;
    const one = text(first);
    const two = text([...first, assistant('b'), user('more')]);
    const common = one.slice(0, one.indexOf(']}],"max_tokens"'));
    expect(two.startsWith(common)).toBe(true);
  });

  test.each([
    ['claude-opus-4-8', 'adaptive', ['low', 'medium', 'high', 'xhigh', 'max'], false],
    ['claude-sonnet-5', 'adaptive', ['low', 'medium', 'high', 'xhigh', 'max'], false],
    ['claude-fable-5-2', 'adaptive', ['low', 'medium', 'high', 'xhigh', 'max'], false],
    ['claude-mythos-preview', 'adaptive', ['low', 'medium', 'high', 'xhigh', 'max'], false],
    ['anthropic/claude-opus-4.6', 'adaptive', ['low', 'medium', 'high', 'max'], true],
    ['claude-opus-4-5-20251101', 'budget', [], true],
    ['claude-sonnet-4-20250514', 'budget', [], true],
    ['claude-3-7-sonnet-latest', 'budget', [], true],
    ['claude-3-5-haiku-20241022', 'none', [], true],
    ['claude-3-opus-20240229', 'none', [], true],
    ['deepseek-chat', 'budget', [], true],
  ])('%s uses %s thinking', (model, thinking, efforts, sampling) => {
    expect(getModelTraits(model)).toMatchObject({ thinking, efforts, sampling });
  });

  test('sends the reasoning effort in the form of each model generation', () => {
    const thinkingFields = (
      model: string,
      reasoningEffort: 'none' | 'minimal' | 'high' | 'xhigh',
      maxOutputTokens?: number,
    ) => {
      const limit = maxOutputTokens === undefined ? {} : { maxOutputTokens };
      const sent = body('hi', { model, parameters: { reasoningEffort, temperature: 0.5, ...limit } });
      return [sent['thinking'], sent['output_config'], sent['max_tokens'], sent['temperature']];
    };
    const adaptive = { type: 'adaptive', display: 'summarized' };
    expect(thinkingFields('claude-opus-4-8', 'xhigh')).toEqual([adaptive, { effort: 'xhigh' }, 64_000, undefined]);
    expect(thinkingFields('claude-opus-4-6', 'xhigh')).toEqual([adaptive, { effort: 'high' }, 64_000, undefined]);
    expect(thinkingFields('claude-opus-4-6', 'none')).toEqual([{ type: 'disabled' }, undefined, 64_000, undefined]);
    expect(thinkingFields('claude-opus-4-8', 'minimal')).toEqual([adaptive, { effort: 'low' }, 64_000, undefined]);
    expect(thinkingFields('claude-sonnet-4-5', 'high')).toEqual([
      { type: 'enabled', budget_tokens: 20_000 },
      undefined,
      32_000,
      undefined,
    ]);
    expect(thinkingFields('claude-sonnet-4-5', 'high', 1000)).toEqual([
      { type: 'enabled', budget_tokens: 20_000 },
      undefined,
      21_000,
      undefined,
    ]);
    expect(thinkingFields('claude-sonnet-4-5', 'none')).toEqual([undefined, undefined, 32_000, 0.5]);
    expect(thinkingFields('claude-3-5-haiku-latest', 'high')).toEqual([undefined, undefined, 8_192, 0.5]);
  });

  test('disables thinking for a forced tool call', () => {
    const parameters = { reasoningEffort: 'high' } as const;
    expect(body('hi', { tools, toolChoice: 'required', parameters })).not.toHaveProperty('thinking');
    expect(body('hi', { tools, toolChoice: { name: 'f' }, parameters })).toMatchObject({
      tool_choice: { type: 'tool', name: 'f' },
    });
    expect(body('hi', { tools, toolChoice: 'none', parameters })).toHaveProperty('thinking');
  });

  test('requests an answer that matches a schema', () => {
    const schema = { type: 'object', properties: { a: { type: 'object', properties: { b: { type: 'number' } } } } };
    const sent = body('hi', { responseFormat: { type: 'json_schema', name: 'n', schema } });
    expect(sent['output_config']).toEqual({
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          additionalProperties: false,
          properties: { a: { type: 'object', additionalProperties: false, properties: { b: { type: 'number' } } } },
        },
      },
    });
  });
});
