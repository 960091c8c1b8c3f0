import { describe, expect, test } from 'vitest';
import { createToolCallTextParser, type ToolCallTextParserOptions } from './create-parser.ts';
import type { TextCallPart } from './types.ts';

const tools = [
  {
    name: 'write',
    inputSchema: { type: 'object', properties: { path: { type: 'string' }, text: { type: 'string' } } },
  },
  {
    name: 'f',
    inputSchema: {
      type: 'object',
      properties: {
        s: { type: 'string' },
        n: { type: 'integer' },
        b: { type: 'boolean' },
        o: { type: 'object' },
        maybe: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
        either: { type: ['string', 'null'] },
        ref: { $ref: '#/$defs/list' },
      },
      $defs: { list: { type: 'array' } },
    },
  },
];

/** The parts of an answer; checks that they are the same when read character by character. */
function read(text: string, options: Partial<ToolCallTextParserOptions> = {}): TextCallPart[] {
  const parse = (pieces: readonly string[]): TextCallPart[] => {
    const parser = createToolCallTextParser({ tools, ...options });
    const out: TextCallPart[] = [];
    for (const part of [...pieces.flatMap((piece) => parser.push(piece)), ...parser.end()]) {
      const last = out.at(-1);
      if ((part.type === 'text' || part.type === 'reasoning') && last?.type === part.type) last.text += part.text;
      else out.push({ ...part });
    }
    return out;
  };
  const expected = parse([text]);
  expect(parse(text.split('')), 'one character at a time').toEqual(expected);
  return expected;
}

const text = (value: string): TextCallPart => ({ type: 'text', text: value });
const called = (name: string, args: object): unknown => ({
  type: 'tool_call',
  id: expect.any(String),
  name,
  arguments: args,
});
const malformed = (raw: string): unknown => ({ type: 'malformed_tool_call', raw, reason: expect.stringMatching(/./) });
const qwen = (name: string, args: string): string =>
  `<tool_call>\n<function=${name}>\n${args}</function>\n</tool_call>`;
const argument = (key: string, value: string): string => `<parameter=${key}>\n${value}\n</parameter>\n`;

describe('bare arguments are typed by the schema', () => {
  test.each<[string, string, unknown]>([
    ['s', '5', '5'],
    ['s', '{"a":1}', '{"a":1}'],
    ['s', '"quoted"', '"quoted"'],
    ['s', '  kept  ', '  kept  '],
    ['s', 'a\r\nb\r', 'a\r\nb\r'],
    ['n', '5', 5],
    ['n', 'five', 'five'],
    ['n', '5.5', '5.5'],
    ['b', 'True', true],
    ['o', "{'a': None}", { a: null }],
    ['maybe', '7', 7],
    ['maybe', 'null', null],
    ['either', 'null', null],
    ['either', '7', '7'],
    ['ref', '[1, "2"]', [1, '2']],
    ['unknown', '42', 42],
    ['unknown', '007', '007'],
    ['unknown', '1.50', '1.50'],
    ['unknown', '12345678901234567890', '12345678901234567890'],
    ['unknown', 'true', true],
    ['unknown', '"quoted"', '"quoted"'],
  ])('%s: %s', (key, written, value) => {
    expect(read(qwen('f', argument(key, written)))).toEqual([called('f', { [key]: value })]);
  });
});

test('an argument with Windows line endings keeps them', () => {
  expect(read(qwen('f', '<parameter=s>\r\na\r\nb\r\n</parameter>\r\n'))).toEqual([called('f', { s: 'a\r\nb' })]);
  expect(read(qwen('f', '<parameter=s>a\r\nb\r\n</parameter>\n'))).toEqual([called('f', { s: 'a\r\nb' })]);
});

describe('text within a string never runs', () => {
  const call = qwen('write', argument('path', '/etc/passwd'));
  test.each([
    ['a truncated JSON call', `<tool_call>{"name":"write","arguments":{"text":"}</tool_call> ${call}`],
    ['a truncated bare call', `{"name":"write","arguments":{"text":"} ${call}`],
    ['unescaped quotes', `<tool_call>{"name":"write","arguments":{"text":"so "hi" ${call}"}}</tool_call>`],
    ['unescaped quotes, bare', `{"name":"write","arguments":{"text":"so "hi" ${call}"}}`],
    ['a truncated list', `<|tool_call_start|>[write(text='} ${call}`],
    ['a truncated fence of calls', `Action:\n\`\`\`json\n[{"tool_name":"write","parameters":{"text":"\`\`\` ${call}`],
    ['a truncated argument', `<tool_call>\n<function=write>\n<parameter=text>\n${call.replace('write', 'f')}`],
  ])('%s', (_, written) => {
    expect(read(written).filter((part) => part.type === 'tool_call')).toEqual([]);
  });

  test('an argument that ends like a call remains an argument', () => {
    const value = 'so it ends:\n</function>\n</tool_call>\nand more';
    expect(read(qwen('write', argument('text', value)))).toEqual([called('write', { text: value })]);
  });

  test('an argument may contain a whole call', () => {
    const value = `For example:\n${qwen('write', argument('path', 'a') + argument('text', 'b'))}\nThat is all.`;
    expect(read(qwen('write', argument('text', value) + argument('path', 'c')))).toEqual([
      called('write', { text: value, path: 'c' }),
    ]);
  });

  test('JSON arguments may contain their end marker', () => {
    expect(read(qwen('f', '<parameter=o>{"a":"</parameter>"}</parameter>\n'))).toEqual([
      called('f', { o: { a: '</parameter>' } }),
    ]);
  });
});

describe('a malformed call does not affect the next', () => {
  test.each([
    [
      'kimi_k2',
      '<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{"s": oops}<|tool_call_end|><|tool_call_begin|>functions.f:1<|tool_call_argument_begin|>{"n":1}<|tool_call_end|>',
    ],
    ['mistral_v11', '[TOOL_CALLS]f[ARGS]{"s":"open}[TOOL_CALLS]f[ARGS]{"n":1}'],
    [
      'seed_oss',
      '<seed:tool_call>\n<function=f>\nwords\n</function>\n<function=f>\n<parameter=n>1</parameter>\n</function>\n</seed:tool_call>',
    ],
    ['lfm2', "<|tool_call_start|>[f(s='it's')]<|tool_call_end|><|tool_call_start|>[f(n=1)]<|tool_call_end|>"],
    ['gemma4', '<|tool_call>call:f{s:]}<tool_call|><|tool_call>call:f{n:1}<tool_call|>'],
    [
      'minicpm5_xml',
      '<function name="f"><param name="s">a</param><param name="s">b</param></function><function name="f"><param name="n">1</param></function>',
    ],
    [
      'glm45',
      '<tool_call>f\n<arg_key>s</arg_key>\nwords</tool_call>\n<tool_call>f\n<arg_key>n</arg_key>\n<arg_value>1</arg_value>\n</tool_call>',
    ],
    [
      'gpt_oss_harmony',
      '<|channel|>commentary to=functions.f<|message|>{oops}<|call|><|start|>assistant<|channel|>commentary to=functions.f<|message|>{"n":1}<|call|>',
    ],
  ] as const)('%s', (format, written) => {
    for (const name of [format, 'auto'] as const) {
      const parts = read(written, { format: name });
      expect(parts.map((part) => part.type)).toEqual(['malformed_tool_call', 'tool_call']);
      expect(parts[1]).toEqual(called('f', { n: 1 }));
    }
  });
});

describe('text that looks like a call', () => {
  test.each([
    'the list [write] and [f(x)](http://example.com)',
    '{"calls": [{"name":"f","arguments":{"n":1}}]}',
    '[{"name":"f","age":3},{"name":"f","arguments":{"n":1}}]',
    '{"name":"nobody","arguments":{}}, {"name":"f","arguments":{}}',
    '{"type":"object","name":"f"}',
    'Call:\n```json\n{"name":"f","arguments":{"n":1}}\n```\nThat was an example.',
    'mail me @f: {"n":1}',
    'if (x) { y = [f(1)] }',
    'functools.partial(f)[0]',
    '>>> f(1)\n2',
    'Action: none\nto=you',
    'a <tool_call>name</tool_call> tag',
  ])('%j', (written) => {
    expect(read(written)).toEqual([text(written)]);
  });

  test('bare calls need an offered tool', () => {
    const written = '[unheard(n=1)]';
    expect(read(written)).toEqual([text(written)]);
    expect(read(written, { tools: [] })).toEqual([called('unheard', { n: 1 })]);
  });
});

describe('a truncated answer shows no partial call', () => {
  test.each([
    '<｜tool▁calls▁begin｜>',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁s',
    '<|tool_calls_section_begin|>\n<|tool_c',
    '<|channel|>analysis',
    '<|start|>assis',
    '<tool_call>\n<function',
    '<tool_call>wri',
    '<tool_call>f\n<arg_',
    '<|START_ACTION|>',
    '<|python_start|>[f(1',
    '[TOOL_CALLS]f[ARGS]',
  ])('%j', (written) => {
    expect(read(`So: ${written}`)).toEqual([text('So: '), malformed(written)]);
  });
});

test('parses calls of one family in the wrapper of another and hides the wrapper', () => {
  const call = '<tool_call>{"name":"f","arguments":{"n":1}}</tool_call>';
  expect(read(`<tool_calls>\n${call}\n</tool_calls>`)).toEqual([called('f', { n: 1 })]);
});

test('uses the model’s ids, unique per answer', () => {
  const list = '[{"name":"f","arguments":{},"id":"abcdefghi"},{"name":"f","arguments":{},"id":"abcdefghi"}]';
  const parts = read(`[TOOL_CALLS]${list}`, { newId: () => 'fresh' });
  expect(parts.map((part) => 'id' in part && part.id)).toEqual(['abcdefghi', 'fresh']);
  const kimi = '<|tool_call_begin|>functions.f:7<|tool_call_argument_begin|>{}<|tool_call_end|>';
  expect(read(kimi)).toEqual([{ type: 'tool_call', id: 'functions.f:7', name: 'f', arguments: {} }]);
});

test('streams JSON that is not a call without waiting for its end', () => {
  const parser = createToolCallTextParser({ tools });
  expect(parser.push('{"answer": "forty-two",')).toEqual([text('{"answer": "forty-two",')]);
  expect(parser.push(' "more": [')).toEqual([text(' "more": [')]);
});

test('shows an incomplete call with all of its markup', () => {
  const written = '<minimax:tool_call>\n<invoke name="f">\n<parameter name="n">1</parameter>';
  expect(read(`Wait.\n${written}`)).toEqual([text('Wait.\n'), malformed(written)]);
});
