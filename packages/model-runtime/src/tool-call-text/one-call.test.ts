import { describe, expect, test } from 'vitest';
import { createToolCallTextParser } from './create-parser.ts';

describe('no call', () => {
  test('in an empty text', () => {
    expect(createToolCallTextParser({ tools: [] }).end()).toEqual([]);
    const parser = createToolCallTextParser({ tools: [] });
    expect([...parser.push(''), ...parser.push(''), ...parser.end()]).toEqual([]);
  });

  test('in a text without a block: the text is returned unchanged', () => {
    const parser = createToolCallTextParser({ tools: [] });
    const parts = [...parser.push('{"date":"get-date","arguments":{}}'), ...parser.end()];
    expect(parts).toEqual([{ type: 'text', text: '{"date":"get-date","arguments":{}}' }]);
  });

  test('in a block with invalid JSON: its raw text and the reason are returned instead', () => {
    const written = '<tool_call>{"name": "get-date", "arguments": </tool_call>';
    const parser = createToolCallTextParser({ tools: [] });
    const parts = [...parser.push(written), ...parser.end()];
    expect(parts).toEqual([{ type: 'malformed_tool_call', raw: written, reason: expect.stringMatching(/\w/) }]);
  });
});

test('one call is returned with id, type, name and parsed arguments', () => {
  const parser = createToolCallTextParser({ tools: [], newId: () => 'fresh' });
  const written = '<tool_call>\n{"name": "get-date", "arguments": {"format": "locale"}}\n</tool_call>';
  expect([...parser.push(written), ...parser.end()]).toEqual([
    { type: 'tool_call', id: 'fresh', name: 'get-date', arguments: { format: 'locale' } },
  ]);
});

test('an end marker inside a string argument does not end the block', () => {
  const parser = createToolCallTextParser({ tools: [], newId: () => 'fresh' });
  const call = { name: 'write', arguments: { text: 'a </tool_call> b' } };
  expect([...parser.push(`<tool_call>${JSON.stringify(call)}</tool_call>`), ...parser.end()]).toEqual([
    { type: 'tool_call', id: 'fresh', ...call },
  ]);
});
