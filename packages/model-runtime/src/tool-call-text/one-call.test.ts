import { describe, expect, test } from 'vitest';
import { createToolCallTextParser } from './create-parser.ts';

describe('a text without a call gives no call', () => {
  test('because there is no text', { tags: ['D6.02', 'D6.03', 'D6.04', 'D6.28'] }, () => {
    expect(createToolCallTextParser({ tools: [] }).end()).toEqual([]);
    const parser = createToolCallTextParser({ tools: [] });
    expect([...parser.push(''), ...parser.push(''), ...parser.end()]).toEqual([]);
  });

  test(
    'because there is no block in it: the text comes back unchanged',
    { tags: ['D6.05', 'D6.10', 'D6.11', 'D6.28', 'D6.29'] },
    () => {
      const parser = createToolCallTextParser({ tools: [] });
      const parts = [...parser.push('{"date":"get-date","arguments":{}}'), ...parser.end()];
      expect(parts).toEqual([{ type: 'text', text: '{"date":"get-date","arguments":{}}' }]);
    },
  );

  test(
    'because its block is no JSON: what was written and why it cannot be read are given instead',
    { tags: ['D6.14', 'D6.15', 'D6.28'] },
    () => {
      const written = '<tool_call>{"name": "get-date", "arguments": </tool_call>';
      const parser = createToolCallTextParser({ tools: [] });
      const parts = [...parser.push(written), ...parser.end()];
      expect(parts).toEqual([{ type: 'malformed_tool_call', raw: written, reason: expect.stringMatching(/\w/) }]);
    },
  );
});

test(
  'a text with a call gives the call: id, type, name, and arguments read',
  {
    tags: [
      'D6.01',
      'D6.02',
      'D6.03',
      'D6.05',
      'D6.07',
      'D6.08',
      'D6.10',
      'D6.12',
      'D6.13',
      'D6.14',
      'D6.18',
      'D6.19',
      'D6.20',
      'D6.21',
      'D6.22',
      'D6.24',
      'D6.25',
      'D6.26',
      'D6.27',
      'D6.30',
    ],
  },
  () => {
    const parser = createToolCallTextParser({ tools: [], newId: () => 'fresh' });
    const written = '<tool_call>\n{"name": "get-date", "arguments": {"format": "locale"}}\n</tool_call>';
    expect([...parser.push(written), ...parser.end()]).toEqual([
      { type: 'tool_call', id: 'fresh', name: 'get-date', arguments: { format: 'locale' } },
    ]);
  },
);

test('what ends a block inside a text of its arguments does not end it', { tags: ['D6.08'] }, () => {
  const parser = createToolCallTextParser({ tools: [], newId: () => 'fresh' });
  const call = { name: 'write', arguments: { text: 'a </tool_call> b' } };
  expect([...parser.push(`<tool_call>${JSON.stringify(call)}</tool_call>`), ...parser.end()]).toEqual([
    { type: 'tool_call', id: 'fresh', ...call },
  ]);
});
