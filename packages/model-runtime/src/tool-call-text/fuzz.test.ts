import { ALL_CASES, cases, codePoint, fc } from '@toolyard/testing/property';
import { expect, test } from 'vitest';
import { getDialect, TOOL_CALL_FAMILIES, getWriter, type ToolCallFormat } from './formats.ts';
import { TextCallParser } from './parser.ts';
import { folded } from './test-fixtures/cases.ts';
import type { TextCallPart } from './types.ts';

const A = { name: 'f', arguments: { k: 'v' } };
const written = TOOL_CALL_FAMILIES.map((family) => getWriter(family)([A, { name: 'g', arguments: {} }]));
/** The markup of all families, in fragments. */
const markup = [...new Set(written.flatMap((text) => text.match(/<[^<>]*>|\[\/?[A-Z_]+\]|\w+|[^\w\s]|\s+/gu) ?? []))];
const thinking = ['<think>', '</think>', '[THINK]', '[/THINK]', '<|START_THINKING|>', '<|END_THINKING|>'];
const trickyPieces = [
  '```',
  '```json\n',
  '~~~',
  '<',
  '<|',
  '<｜',
  '{"name":"',
  '"arguments":',
  '\\',
  '"',
  "'",
  '\n',
  ' ',
  '🙂',
  '\ud800',
];

const shard = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...markup) },
  { weight: 2, arbitrary: fc.constantFrom(...thinking) },
  { weight: 3, arbitrary: fc.constantFrom(...trickyPieces) },
  { weight: 1, arbitrary: fc.constantFrom(...written) },
  { weight: 1, arbitrary: fc.string() },
);
const nearMarkup = fc.array(shard, { maxLength: 25 }).map((all) => all.join(''));
const format = fc.constantFrom<ToolCallFormat>('auto', 'auto', ...TOOL_CALL_FAMILIES);
const cuts = fc.array(fc.nat(), { maxLength: 30 });

type Settings = {
  format: ToolCallFormat;
  startsInReasoning?: boolean;
  tools?: { name: string; inputSchema: object }[];
};

function parse(pieces: readonly string[], { format: name, startsInReasoning = false }: Settings): TextCallPart[] {
  const parser = new TextCallParser(getDialect(name), { tools: [], startsInReasoning });
  return joined([...pieces.flatMap((piece) => parser.push(piece)), ...parser.end()]);
}

/** Merges adjacent text, however it was split. */
function joined(parts: readonly TextCallPart[]): TextCallPart[] {
  const out: TextCallPart[] = [];
  for (const part of parts) {
    const last = out.at(-1);
    if ((part.type === 'text' || part.type === 'reasoning') && last?.type === part.type) last.text += part.text;
    else out.push({ ...part });
  }
  return out;
}

function split(text: string, positions: readonly number[]): string[] {
  const at = [...new Set(positions.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, index) => text.slice(from, at[index] ?? text.length));
}

/** The whole output for a text, regardless of part types. */
function all(parts: readonly TextCallPart[]): string {
  return parts
    .map((part) => {
      if (part.type === 'text' || part.type === 'reasoning') return part.text;
      return part.type === 'malformed_tool_call'
        ? part.raw
        : `${part.id} ${part.name} ${JSON.stringify(part.arguments)}`;
    })
    .join(' ');
}

test('splitting a text changes nothing', () => {
  fc.assert(
    fc.property(nearMarkup, cuts, format, fc.boolean(), (text, places, name, startsInReasoning) => {
      const settings = { format: name, startsInReasoning };
      expect(parse(split(text, places), settings)).toEqual(parse([text], settings));
      expect(parse(text.split(''), settings)).toEqual(parse([text], settings));
    }),
    cases(4000),
  );
});

test('no word is lost, whatever surrounds it', () => {
  const words = fc.array(fc.tuple(nearMarkup, fc.constantFrom(' ', '\n', '')), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(words, format, fc.boolean(), (pieces, name, startsInReasoning) => {
      const text = pieces.map(([text, blank], index) => `${text}${blank}Wort${index} `).join('');
      const output = all(parse([text], { format: name, startsInReasoning }));
      for (const index of pieces.keys()) expect(output, text).toContain(`Wort${index}`);
    }),
    cases(4000),
  );
});

test('without markers and brackets, the text is returned unchanged', () => {
  const plain = fc.string({ unit: codePoint }).map((text) => `x${text.replace(/[<[{@>`~]|functools|Action/g, '-')}`);
  fc.assert(
    fc.property(plain, cuts, format, (text, places, name) => {
      if (name === 'functionary_v32') return;
      expect(parse(split(text, places), { format: name })).toEqual([{ type: 'text', text: text }]);
    }),
  );
});

test('text without calls is returned unchanged except for whitespace around thinking', () => {
  fc.assert(
    fc.property(nearMarkup, cuts, (text, places) => {
      const parts = parse(split(text, places), { format: 'plain' });
      const output = parts.map((part) => ('text' in part ? part.text : '')).join(' ');
      const bare = (text: string): string => folded(text.replace(/<\/?think>|\[\/?THINK\]|<\|\w+_THINKING\|>|\s/g, ''));
      expect(bare(output)).toBe(bare(text));
    }),
    cases(1000),
  );
});

/** Number of characters examined in a text of repeated `unit`, with `behind` at its end. */
function examined(unit: string, suffix: string, length: number, size: number): number {
  const text = unit.repeat(Math.ceil(length / unit.length)) + suffix;
  const parser = new TextCallParser(getDialect('auto'), { tools: [] });
  for (let at = 0; at < text.length; at += size) parser.push(text.slice(at, at + size));
  parser.end();
  return parser.examined;
}

const starts = [...new Set(written.map((text) => /^(?:<[^<>]*>|\[[A-Z_]+\]|\S)/u.exec(text)?.[0] ?? '<'))];
const units = [
  '',
  ' ',
  '{',
  '[',
  'f',
  '{"a":"',
  "{'a':'",
  '{"name":"f","arguments":{"a":"\\"',
  '[{"name":"f","arguments":',
  '[f(a="',
  '[f(a=[',
  "f(a='",
  '<function=f><parameter=k>',
  '<function=f><parameter=k>{"',
  '<invoke name="f"><parameter name="k">',
  'f<arg_key>k</arg_key><arg_value>',
  'call:f{a:<|"|>',
  '\n```json\n[{"name":"f","arguments":{"a":"',
  '}</tool_call>',
];
/** Characters of the shorter text. The work is counted, not timed, so a short text is sufficient. */
const LENGTH = ALL_CASES ? 8_000 : 1_000;
/** Bound on examinations per character: markers are not longer. */
const PER_CHARACTER = 60;

// One test per start, so that each finishes within the timeout on a busy machine.
test.each([...starts, '<think>', ''].map((start, place) => ({ start, place })))(
  'ten times the text is at most twelve times the work for every unit, after $start',
  ({ start, place }) => {
    for (const [index, repeated] of units.entries()) {
      const unit = `${start}${repeated}`;
      if (unit === '') continue;
      // Text before the end of a string is read as a string, and again if that proves wrong.
      const suffix = (place + index) % 2 === 0 ? '' : '"';
      const small = examined(unit, suffix, LENGTH, 256);
      const large = examined(unit, suffix, LENGTH * 10, 256);
      // In some texts the second examination of each character starts only beyond the shorter text: that is not growth.
      const found = {
        ratio: large / (ALL_CASES ? small : Math.max(small, 2 * LENGTH)),
        perCharacter: large / (LENGTH * 10),
        unit: unit + suffix,
      };
      expect(found.ratio, JSON.stringify(found)).toBeLessThan(12);
      expect(found.perCharacter, JSON.stringify(found)).toBeLessThan(PER_CHARACTER);
    }
  },
);

test('a large hostile text is parsed in linear time', () => {
  const length = ALL_CASES ? 100_000 : 10_000;
  const hostile = [
    ['<tool_call>{"a":"', 'x'],
    ['<tool_call>', ' '],
    ['', '<tool_call>{"</tool_call>'],
    ['', '<tool_call>{"a":"x</tool_call>'],
    ['', '<tool_call>{"a":"x}</tool_call>'],
    ['', '<function=f><parameter=k>{"'],
    ['<think>', '<tool_call>{"name":"f"}</tool_call>'],
    ['', '{"name":'],
    ['', '[f(a=['],
    ['', '<|start|>assistant'],
    ['', '<'],
    ['', '`'],
  ] as const;
  for (const [before, unit] of hostile) {
    const work = (characters: number): number => {
      const text = before + unit.repeat(characters / unit.length);
      const parser = new TextCallParser(getDialect('auto'), { tools: [] });
      for (let at = 0; at < text.length; at += 16) parser.push(text.slice(at, at + 16));
      parser.end();
      return parser.examined;
    };
    expect(work(length * 10) / work(length), before + unit).toBeLessThan(12);
  }
});
