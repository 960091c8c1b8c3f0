import { expect, test } from 'vitest';
import { request, tool } from '../test-fixtures/requests.ts';
import { createDialect as anthropicDialect } from '../anthropic-messages/dialect.ts';
import { createDialect as geminiDialect } from '../google-gemini/dialect.ts';
import { createDialect as chatDialect } from '../openai-chat/dialect.ts';
import { createDialect as responsesDialect } from '../openai-responses/dialect.ts';
import { withoutTopChoice } from './schema.ts';

test('a top-level choice becomes the union of properties, and what every alternative requires', () => {
  const a = { type: 'string' };
  const b = { type: 'number' };
  expect(
    withoutTopChoice({
      description: 'Either.',
      properties: { always: a },
      required: ['always'],
      oneOf: [
        { properties: { a, both: b }, required: ['a', 'both'] },
        { properties: { b, both: b }, required: ['b', 'both'] },
      ],
      allOf: [{ properties: { more: a }, required: ['more'] }],
    }),
  ).toEqual({
    description: 'Either.',
    type: 'object',
    properties: { always: a, a, b, both: b, more: a },
    required: ['more', 'always', 'both'],
  });
  expect(withoutTopChoice({ anyOf: [{ $ref: '#/$defs/x' }, true] })).toEqual({ type: 'object', properties: {} });
});

test('a schema without one is returned unchanged', () => {
  const schema = { type: 'object', properties: { a: { anyOf: [{ type: 'string' }] } } };
  expect(withoutTopChoice(schema)).toBe(schema);
});

test.each([chatDialect(), responsesDialect(), anthropicDialect(), geminiDialect()])(
  '$wire sends no top-level choice',
  (dialect) => {
    const choiceTool = tool('f', {
      inputSchema: { type: 'object', anyOf: [{ required: ['a'] }, { required: ['b'] }] },
    });
    const { body } = dialect.chat(request('hi', { tools: [choiceTool] }), new Set());
    expect(body).toContain('"f"');
    expect(body).not.toContain('anyOf');
  },
);
