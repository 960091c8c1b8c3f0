import { cases, fc } from '@toolyard/testing/property';
import { describe, expect, test } from 'vitest';
import { createReasoningSplitter, createToolCallTextParser } from './create-parser.ts';
import type { TextCallPart, ToolCallTextParser } from './types.ts';

function read(
  parser: ToolCallTextParser,
  text: string,
  size: number,
): { text: string; reasoning: string; calls: number } {
  const parts: TextCallPart[] = [];
  for (let at = 0; at < text.length; at += size) parts.push(...parser.push(text.slice(at, at + size)));
  parts.push(...parser.end());
  const joined = (type: 'text' | 'reasoning'): string =>
    parts.map((part) => (part.type === type ? part.text : '')).join('');
  return {
    text: joined('text'),
    reasoning: joined('reasoning'),
    calls: parts.filter(({ type }) => type === 'tool_call').length,
  };
}

const parsers: readonly [string, () => ToolCallTextParser][] = [
  ['without tools', () => createReasoningSplitter()],
  ['with tools', () => createToolCallTextParser({ tools: [{ name: 'f', inputSchema: { type: 'object' } }] })],
];
const TAGS = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
  ['<thought>', '</thought>'],
  ['<reasoning>', '</reasoning>'],
  ['<thoughts>', '</thoughts>'],
  ['<reason>', '</reason>'],
  ['<Thought>', '</Thought>'],
  ['<THINK>', '</THINK>'],
  ['◁think▷', '◁/think▷'],
  ['<unused94>thought', '<unused95>'],
  ['[THINK]', '[/THINK]'],
] as const;
const words = fc.constantFrom('plan', 'two words', 'a\n\nb', 'x < y', '<thin', 'a </b>');

describe.each(parsers)('%s', (_, create) => {
  test('each block of thinking on lines of its own is reasoning, however the text is cut', () => {
    const blocks = fc.array(fc.tuple(words, words), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(fc.constantFrom(...TAGS), blocks, fc.integer({ min: 1, max: 9 }), ([start, end], all, size) => {
        const written = all.map(([thought, said]) => `${start}\n${thought}\n${end}\n\n${said}`).join('\n');
        const found = read(create(), written, size);
        expect(found.reasoning.replace(/\s+/g, '')).toBe(
          all
            .map(([thought]) => thought)
            .join('')
            .replace(/\s+/g, ''),
        );
        expect(found.text.replace(/\s+/g, '')).toBe(
          all
            .map(([, said]) => said)
            .join('')
            .replace(/\s+/g, ''),
        );
      }),
      cases(300),
    );
  });

  test.each([
    ['a tag in a sentence', 'Use <think> and </think> around it.'],
    ['a block that is never closed', 'Done.\n<think>\nnow check'],
    ['a block within a line', 'Done.\n<think>now</think> is the syntax.'],
    ['a block in a code fence', 'Like this:\n```\n<think>\nnow\n</think>\n```\n'],
  ])('%s is text', (_title, text) => {
    for (const size of [1, 3, 100]) expect(read(create(), text, size)).toMatchObject({ text, reasoning: '' });
  });

  test.each(['Here is', "Here's", 'Here’s'])(
    'thinking announced with "%s" is reasoning if an answer follows',
    (here) => {
      const text = `${here} my thought process:\nWell.\n\n${here} my response: Yes.\nHere is my response: no.`;
      for (const size of [1, 7, 200]) {
        const found = read(create(), text, size);
        expect(found.reasoning.trim()).toBe('Well.');
        expect(found.text.trim()).toBe('Yes.\nHere is my response: no.');
      }
      for (const plain of [
        `${here} my thought process:\nfirst the numbers.`,
        `${here} my response: Yes.`,
        `So. ${text}`,
      ])
        expect(read(create(), plain, 5)).toMatchObject({ text: plain, reasoning: '' });
    },
  );

  test('the channels of harmony are separated', () => {
    const text =
      '<|channel|>analysis<|message|>Which one?<|end|><|start|>assistant<|channel|>final<|message|>This one.<|return|>';
    for (const size of [1, 4, 200]) {
      expect(read(create(), text, size)).toEqual({ text: 'This one.', reasoning: 'Which one?', calls: 0 });
    }
  });
});

test('without tools, a call in harmony is text', () => {
  const text = '<|channel|>commentary to=functions.f <|message|>{"x":1}<|call|>';
  expect(read(createReasoningSplitter(), text, 5)).toEqual({ text, reasoning: '', calls: 0 });
});

test('unclosed blocks are searched once', () => {
  const parser = createToolCallTextParser();
  const text = 'a\n<think>\n'.repeat(2000);
  expect(read(parser, text, 1000)).toMatchObject({ text, reasoning: '' });
  expect((parser as ToolCallTextParser & { examined: number }).examined).toBeLessThan(text.length * 20);
});
