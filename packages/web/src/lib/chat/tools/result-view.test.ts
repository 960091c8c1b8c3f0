import type { ToolResult } from '@toolyard/protocol';
import { describe, expect, test } from 'vitest';
import { resultText, resultView } from './result-view.ts';

const result = (more: Partial<ToolResult>): ToolResult => ({ content: [], isError: false, outcome: 'done', ...more });

describe('the structured result', () => {
  test('is left out where a text says the same, in whatever order', () => {
    const text = '{ "b": [1, 2], "a": null }';
    expect(resultView(result({ content: [{ type: 'text', text }], structured: { a: null, b: [1, 2] } }))).toEqual({
      content: [{ view: { kind: 'json', json: text }, forModel: false }],
    });
  });

  test('is shown where no text says it', () => {
    const view = resultView(result({ content: [{ type: 'text', text: 'Two rows.' }], structured: { rows: 2 } }));
    expect(view.structured).toBe('{"rows":2}');
    expect(view.content).toHaveLength(1);
  });
});

test('what Toolyard wrote for the model is not shown twice', () => {
  const error = { code: 'timed_out', message: 's/t gave no sign of life for 10 s.' } as const;
  const content = [{ type: 'text', text: `${error.message} Do not repeat it.` }] as const;
  expect(resultView(result({ content: [...content], isError: true, outcome: 'unknown', error })).content).toEqual([]);
});

test('what is meant for the model alone says so', () => {
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

test('all texts are copied, or else the structured result', () => {
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
