import type { ToolResult } from '@toolyard/protocol';
import { describe, expect, test } from 'vitest';
import { resultText, resultView } from './result-view.ts';

const result = (more: Partial<ToolResult>): ToolResult => ({ content: [], isError: false, outcome: 'done', ...more });

describe('structured result', () => {
  test('is omitted if a text has the same value, in any order of keys', () => {
    const text = '{ "b": [1, 2], "a": null }';
    expect(resultView(result({ content: [{ type: 'text', text }], structured: { a: null, b: [1, 2] } }))).toEqual({
      content: [{ view: { kind: 'json', json: text }, forModel: false }],
    });
  });

  test('is shown if no text has the same value', () => {
    const view = resultView(result({ content: [{ type: 'text', text: 'Two rows.' }], structured: { rows: 2 } }));
    expect(view.structured).toBe('{"rows":2}');
    expect(view.content).toHaveLength(1);
  });
});

test('text that Toolyard wrote for the model is not shown twice', () => {
  const error = { code: 'timed_out', message: 's/t timed out: no response or progress within 10 s.' } as const;
  const content = [{ type: 'text', text: `${error.message} Do not repeat it.` }] as const;
  expect(resultView(result({ content: [...content], isError: true, outcome: 'unknown', error })).content).toEqual([]);
});

test('content for the model only is labelled', () => {
  const both = { type: 'text', text: 'x', audience: ['user', 'assistant'] } as const;
  const model = { type: 'text', text: 'x', audience: ['assistant'] } as const;
  const { content } = resultView(
    result({
      content: [
        { ...both, audience: [...both.audience] },
        { ...model, audience: [...model.audience] },
      ],
    }),
  );
  expect(content.map(({ forModel }) => forModel)).toEqual([false, true]);
});

test('copies all texts, or else the structured result', () => {
  const texts = result({
    content: [
      { type: 'text', text: 'one' },
      { type: 'resource', uri: 'x://a', text: 'two' },
      { type: 'resource', uri: 'x://b' },
    ],
  });
  expect(resultText(texts)).toBe('one\n\ntwo\n\nx://b');
  expect(resultText(result({ structured: { a: 1 } }))).toBe('{\n  "a": 1\n}');
});
