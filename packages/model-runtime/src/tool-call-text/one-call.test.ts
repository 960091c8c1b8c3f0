import { describe, expect, test } from 'vitest';
import { createToolCallTextParser } from './create-parser.ts';

describe('a text without a call gives no call', () => {
  test('because there is no text', () => {
    expect(createToolCallTextParser({ tools: [] }).end()).toEqual([]);
    const parser = createToolCallTextParser({ tools: [] });
    expect([...parser.push(''), ...parser.push(''), ...parser.end()]).toEqual([]);
  });

  test('because there is no block in it: the text comes back unchanged', () => {
    const parser = createToolCallTextParser({ tools: [] });
    const parts = [...parser.push('{"date":"get-date","arguments":{}}'), ...parser.end()];
    expect(parts).toEqual([{ type: 'text', text: '{"date":"get-date","arguments":{}}' }]);
  });

  test('because its block is no JSON: what was written and why it cannot be read are given instead', () => {
    const written = '<tool_call>{"name": "get-date", "arguments": </tool_call>';
    const parser = createToolCallTextParser({ tools: [] });
    const parts = [...parser.push(written), ...parser.end()];
    expect(parts).toEqual([{ type: 'malformed_tool_call', raw: written, reason: expect.stringMatching(/\w/) }]);
  });
});

test('a text with a call gives the call: id, type, name, and arguments read', () => {
  const parser = createToolCallTextParser({ tools: [], newId: () => 'fresh' });
  const written = '<tool_call>\n{"name": "get-date", "arguments": {"format": "locale"}}\n</tool_call>';
  expect([...parser.push(written), ...parser.end()]).toEqual([
    { type: 'tool_call', id: 'fresh', name: 'get-date', arguments: { format: 'locale' } },
  ]);
});

test('what ends a block inside a text of its arguments does not end it', () => {
  const parser = createToolCallTextParser({ tools: [], newId: () => 'fresh' });
  const call = { name: 'write', arguments: { text: 'a </tool_call> b' } };
  expect([...parser.push(`<tool_call>${JSON.stringify(call)}</tool_call>`), ...parser.end()]).toEqual([
    { type: 'tool_call', id: 'fresh', ...call },
  ]);
});
