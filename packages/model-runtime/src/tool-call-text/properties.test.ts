import { cases, fc } from '@toolyard/testing/property';
import { describe, expect, test } from 'vitest';
import { createReasoningSplitter, createToolCallTextParser, type ToolCallTextParserOptions } from './create-parser.ts';
import type { TextCallPart } from './types.ts';

type Seen = TextCallPart | { type: 'tool_call'; name: string; arguments: unknown };

/** The parts of an answer with adjacent text merged and ids removed. */
function parse(chunks: readonly string[], options: Partial<ToolCallTextParserOptions> = {}): Seen[] {
  const parser = createToolCallTextParser({ tools: [], ...options });
  return merge([...chunks.flatMap((chunk) => parser.push(chunk)), ...parser.end()]);
}

function merge(parts: readonly TextCallPart[]): Seen[] {
  const out: Seen[] = [];
  for (const part of parts) {
    const last = out.at(-1);
    if ((part.type === 'text' || part.type === 'reasoning') && last?.type === part.type) {
      out[out.length - 1] = { type: part.type, text: last.text + part.text };
    } else if (part.type === 'tool_call') {
      out.push({ type: 'tool_call', name: part.name, arguments: part.arguments });
    } else out.push(part);
  }
  return out;
}

/** The same for a whole answer; checks that splitting does not change the result. */
function read(text: string, options: Partial<ToolCallTextParserOptions> = {}): Seen[] {
  const expected = parse([text], options);
  expect(parse([...text], options), 'one character at a time').toEqual(expected);
  for (const size of [2, 3, 7]) {
    const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'gu')) ?? [];
    expect(parse(pieces, options), `${size} characters at a time`).toEqual(expected);
  }
  return expected;
}

const text = (value: string): Seen => ({ type: 'text', text: value });
const reasoning = (value: string): Seen => ({ type: 'reasoning', text: value });
const called = (name: string, args: object = {}): Seen => ({ type: 'tool_call', name, arguments: args });
const block = (json: string): string => `<tool_call>${json}</tool_call>`;
const A = '{"name":"a","arguments":{"x":1}}';

describe('variants of one call', () => {
  test.each<[string, string, object]>([
    ['on lines of its own', '<tool_call>\n{"name": "f", "arguments": {"x": 1}}\n</tool_call>', { x: 1 }],
    ['without newlines', block('{"name":"f","arguments":{"x":1}}'), { x: 1 }],
    [
      'pretty-printed',
      block('\n{\n  "name": "f",\n  "arguments": {\n    "x": [1, {"y": 2}]\n  }\n}\n'),
      { x: [1, { y: 2 }] },
    ],
    ['arguments first', block('{"arguments":{"x":1},"name":"f"}'), { x: 1 }],
    ['arguments as a JSON string', block('{"name":"f","arguments":"{\\"x\\":1}"}'), { x: 1 }],
    ['arguments as an empty string', block('{"name":"f","arguments":""}'), {}],
    ['arguments under parameters', block('{"name":"f","parameters":{"x":1}}'), { x: 1 }],
    ['no arguments', block('{"name":"f"}'), {}],
    ['arguments null', block('{"name":"f","arguments":null}'), {}],
    ['a name among the arguments', block('{"name":"f","arguments":{"name":"g"}}'), { name: 'g' }],
    ['raw newlines and tabs in a string', block('{"name":"f","arguments":{"x":"a\n\tb\\n"}}'), { x: 'a\n\tb\n' }],
    ['Chinese', block('{"name":"f","arguments":{"城市":"杭州"}}'), { 城市: '杭州' }],
    ['one brace too many', block('{"name":"f","arguments":{"x":1}}}'), { x: 1 }],
    ['doubled end marker', `${block('{"name":"f","arguments":{"x":1}}')}\n</tool_call>`, { x: 1 }],
    [
      'the end marker inside a string',
      block('{"name":"f","arguments":{"x":"</tool_call> {\\"</tool_call>"}}'),
      { x: '</tool_call> {"</tool_call>' },
    ],
    ['the start marker inside a string', block('{"name":"f","arguments":{"x":"<tool_call>{"}}'), { x: '<tool_call>{' }],
    ['the end marker missing at the end', '<tool_call>{"name":"f","arguments":{"x":1}}', { x: 1 }],
    ['half of the end marker', '<tool_call>{"name":"f","arguments":{"x":1}}\n</tool_', { x: 1 }],
  ])('%s', (_, written, args) => {
    expect(read(written)).toEqual([called('f', args)]);
  });
});

describe('several calls', () => {
  const B = '{"name":"b","arguments":{"y":"}"}}';
  test.each([
    ['repeated blocks', `${block(A)}\n${block(B)}`],
    ['an array', block(`[${A}, ${B}]`)],
    ['comma-separated', block(`${A}, ${B}`)],
    ['separated by semicolons', block(`${A}; ${B};`)],
    ['on lines', block(`\n${A}\n${B}\n`)],
    ['a missing end marker in between', `<tool_call>${A}\n${block(B)}`],
    ['an array truncated after complete calls', `<tool_call>[${A}, ${B}`],
  ])('%s', (_, written) => {
    expect(read(written)).toEqual([called('a', { x: 1 }), called('b', { y: '}' })]);
  });

  test('text before, between and after calls is kept, whitespace before a block is not', () => {
    expect(read(`Look:\n\n${block(A)}\nand\n${block(A)} end\n`)).toEqual([
      text('Look:'),
      called('a', { x: 1 }),
      text('\nand'),
      called('a', { x: 1 }),
      text(' end\n'),
    ]);
  });

  test('whitespace after the last block is not part of the answer', () => {
    expect(read(`${block(A)}\n\n`)).toEqual([called('a', { x: 1 })]);
  });

  test('text after a block without its end marker is not lost', () => {
    expect(read(`<tool_call>${A}\n\nHere you are, <b>done</b>.`)).toEqual([
      called('a', { x: 1 }),
      text('\n\nHere you are, <b>done</b>.'),
    ]);
  });
});

describe('never runs', () => {
  test.each([
    ['truncated in the name', '<tool_call>{"name": "say_hello'],
    ['truncated in the arguments', '<tool_call>\n{"name": "f", "arguments": {"trigger": true}'],
    ['truncated in a string', '<tool_call>{"name":"f","arguments":{"x":"rm -rf /ho'],
    ['closed although truncated', block('{"name":"f","arguments":{"x":1}')],
    ['invalid JSON', block('{invalid json}')],
    ['a word among the arguments', block('{"name":"f","arguments":invalid}')],
    ['a string left open', block('{"name":"f","arguments":{"x":"open}}')],
    ['unescaped quotes', block('{"name":"f","arguments":{"x":"said "hello" to me"}}')],
    ['no name', block('{"arguments":{}}')],
    ['an empty name', block('{"name":"","arguments":{}}')],
    ['arguments that are not an object', block('{"name":"f","arguments":[1]}')],
    ['an array of other things', block('["name": "f", function: "date"]')],
    ['nothing', '<tool_call>[]</tool_call>'],
    ['nested too deeply', block(`{"name":"f","arguments":{"x":${'['.repeat(5000)}${']'.repeat(5000)}}}`)],
  ])('%s', (_, written) => {
    const parts = read(written);
    expect(parts).toEqual([{ type: 'malformed_tool_call', raw: written, reason: expect.stringMatching(/./) }]);
  });

  test('a malformed call does not affect the other calls', () => {
    for (const bad of ['{bad}', '{"name":"f","arguments":{"x":"open}}', '{"name":"f","arguments":{', "{'name: 'f'}"]) {
      const parts = read(`${block(A)}${block(bad)}\n${block(A)}`);
      expect(parts.map((part) => part.type)).toEqual(['tool_call', 'malformed_tool_call', 'tool_call']);
    }
  });

  test('a malformed object in a block does not affect the others in it', () => {
    const parts = read(block(`[${A},{"name":""},${A}]`));
    expect(parts.map((part) => part.type)).toEqual(['tool_call', 'malformed_tool_call', 'tool_call']);
  });

  test('separators belong to no call', () => {
    expect(read(block('{};<'))).toEqual([
      { type: 'malformed_tool_call', raw: '{}', reason: expect.stringMatching(/./) },
      { type: 'malformed_tool_call', raw: '<</tool_call>', reason: expect.stringMatching(/./) },
    ]);
  });
});

describe('not a call', () => {
  test.each([
    'Keep <tool_call> plain text',
    'a <tool_call>',
    'the `<tool_call>` and `</tool_call>` tags',
    '<tool_call>\nThis looks like one but it is not',
    'Hello <tool_ca',
    'half </tool_call> of it',
    'a < b && b > c <',
    'spaces at the end  \n',
    '<tool_call> <tool_call> <tool_call',
    `\`\`\`\n${block(A)}\n\`\`\`\n`,
    `Like this:\n~~~xml\n${block(A)}\n`,
    `   \`\`\`\`json\n\`\`\`\n${block(A)}\n\`\`\`\``,
    `inline \n\`\`\`${block(A)}\`\`\` code`,
    'a late <think>thought</think> stays',
    `write \`${block(A)}\` to call`,
    `write \`\`<tool_call>{"a":\`}\`\` or \`${A}\``,
    '1. item\n\n      ```\n      ' + block(A) + '\n      ```\n',
  ])('%j', (written) => {
    expect(read(written)).toEqual([text(written)]);
  });

  test('a call after a closed fence counts', () => {
    expect(read(`\`\`\`\n${block(A)}\n\`\`\`\n${block(A)}`)).toEqual([
      text(`\`\`\`\n${block(A)}\n\`\`\``),
      called('a', { x: 1 }),
    ]);
  });

  test('an unpaired backtick hides no call', () => {
    expect(read(`it\`s \`${block(A)}\n`)).toEqual([text('it`s `'), called('a', { x: 1 })]);
  });

  test('inline backticks open no fence', () => {
    expect(read(`use \`\`\`x\`\`\` then\n${block(A)}`)).toEqual([text('use ```x``` then'), called('a', { x: 1 })]);
  });
});

describe('thinking', () => {
  test('before the answer', () => {
    expect(read('<think>\nhm < hm\n</think>\n\nYes.')).toEqual([reasoning('hm < hm'), text('Yes.')]);
  });

  test('opened by the prompt', () => {
    expect(read(`I need to\n</think>\n\n${block(A)}`, { startsInReasoning: true })).toEqual([
      reasoning('I need to'),
      called('a', { x: 1 }),
    ]);
  });

  test('opened by the prompt and again by the model', () => {
    expect(read('<think>why</think>so', { startsInReasoning: true })).toEqual([reasoning('why'), text('so')]);
  });

  test('a call within it is not a call', () => {
    expect(read(`<think>maybe ${block(A)} hm</think>${block(A)}`)).toEqual([
      reasoning(`maybe ${block(A)} hm`),
      called('a', { x: 1 }),
    ]);
  });

  test('unclosed: a call in it counts, for families that call there', () => {
    expect(read(`<think>so ${block(A)} </thi`)).toEqual([reasoning('so'), called('a', { x: 1 }), text(' </thi')]);
    const other = '<TOOLCALL>[{"name":"a","arguments":{}}]</TOOLCALL>';
    expect(read(`<think>so ${other} </thi`)).toEqual([reasoning(`so ${other} </thi`)]);
  });

  test('unclosed and only mentioning calls stays thinking', () => {
    expect(read('<think>use <tool_call> {not one} or ')).toEqual([reasoning('use <tool_call> {not one} or ')]);
  });

  test('without tools, is separated from text and nothing else changes', () => {
    const splitter = createReasoningSplitter();
    const written = `<think>a</think>\n${block(A)} \n`;
    expect(merge([...splitter.push(written), ...splitter.end()])).toEqual([reasoning('a'), text(`${block(A)} \n`)]);
  });
});

describe('streaming', () => {
  test('emits text immediately, and buffers a possible marker and the whitespace before it', () => {
    const parser = createToolCallTextParser({ tools: [] });
    expect(parser.push('Hello wor')).toEqual([text('Hello wor')]);
    expect(parser.push('ld \n')).toEqual([text('ld')]);
    expect(parser.push('<tool')).toEqual([]);
    expect(parser.push('box')).toEqual([text(' \n<toolbox')]);
    expect(parser.push(' <')).toEqual([]);
    expect(parser.end()).toEqual([text(' <')]);
  });

  test('ids come from `newId` or are numbered', () => {
    const ids = ['one', 'two'];
    const parser = createToolCallTextParser({ tools: [], newId: () => ids.shift() ?? 'none' });
    const parts = parser.push(block(A) + block(A));
    expect(parts.map((part) => part.type === 'tool_call' && part.id)).toEqual(['one', 'two']);
    const plain = createToolCallTextParser({ tools: [] }).push(block(A) + block(A));
    expect(new Set(plain.map((part) => part.type === 'tool_call' && part.id)).size).toBe(2);
  });
});

/** Fragments close to everything the parser searches for. */
const shards = fc.constantFrom(
  ...[
    '<',
    '>',
    '</',
    '<tool_call>',
    '</tool_call>',
    '<tool_',
    'call>',
    '<think>',
    '</think>',
    '{',
    '}',
    '[',
    ']',
    '"',
    '\\',
    ',',
    ':',
  ],
  ...[
    '{"name":',
    '"f"',
    '"arguments":',
    '{}',
    A,
    '\n',
    ' ',
    '```',
    '```\n',
    '~~~',
    'word',
    '現在',
    '🙂',
    '\u0000',
    '\ud800',
  ],
);
const nearText = fc
  .array(fc.oneof({ weight: 4, arbitrary: shards }, { weight: 1, arbitrary: fc.string() }))
  .map((all) => all.join(''));

function split(text: string, cuts: readonly number[]): string[] {
  const at = [...new Set(cuts.map((n) => n % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, index) => text.slice(from, at[index] ?? text.length));
}

describe('every text', () => {
  test('splitting changes nothing', () => {
    fc.assert(
      fc.property(nearText, fc.array(fc.nat(), { maxLength: 30 }), fc.boolean(), (text, cuts, startsInReasoning) => {
        expect(parse(split(text, cuts), { startsInReasoning })).toEqual(parse([text], { startsInReasoning }));
      }),
      cases(2000),
    );
  });

  test('without blocks and thinking, every character is returned', () => {
    fc.assert(
      fc.property(nearText, fc.array(fc.nat(), { maxLength: 30 }), (text, cuts) => {
        const parts = parse(split(text, cuts));
        fc.pre(parts.every((part) => part.type === 'text'));
        const output = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
        fc.pre(!/^\s*<\/?think>/.test(text));
        expect(output).toBe(text);
      }),
      cases(2000),
    );
  });

  test('with thinking and blocks, only whitespace and markers are removed', () => {
    const shape = (value: string): string =>
      value.replace(/<\/?tool_call>|<\/?think>|[\s,;[\]{}]/g, '').replace(/(?:<\/?(?:tool_(?:call>?)?)?)+$/, '');
    fc.assert(
      fc.property(nearText, (text) => {
        const output = parse([text]).map((part) => {
          if (part.type === 'tool_call') return '';
          return part.type === 'malformed_tool_call' ? part.raw : part.text;
        });
        const calls = parse([text]).some((part) => part.type === 'tool_call');
        fc.pre(!calls);
        expect(shape(output.join(''))).toBe(shape(text));
      }),
      cases(2000),
    );
  });
});
