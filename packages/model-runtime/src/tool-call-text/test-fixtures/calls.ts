import { codePoint, fc } from '@toolyard/testing/property';
import type { JsonObject, JsonValue } from '@toolyard/protocol';
import { isKeyReadByNode } from '@toolyard/testing';
import type { ToolCallFamilyName } from '../formats.ts';
import type { TextCallTool, WrittenCall } from '../types.ts';

/** End markers of strings, which families cannot write within a string. */
const UNWRITABLE = [
  '</parameter>',
  '</param>',
  '</arg_value>',
  '</longcat_arg_value>',
  '</steptml:parameter>',
  '</｜DSML｜parameter>',
  '<|"|>',
  '<escape>',
  '<![CDATA[',
];

const trickyPieces = fc.constantFrom(
  '</tool_call>',
  '<tool_call>',
  '</function>',
  '<function=f>',
  '<|tool_call_end|>',
  '[TOOL_CALLS]',
  '<think>',
  '</think>',
  '```',
  '"',
  "'",
  '\\',
  '\\"',
  '{',
  '}',
  '[',
  ']',
  '(',
  ')',
  '&lt;',
  '&',
  '\n',
  '\r\n',
  '\t',
  ' ',
  '杭州',
  '🙂',
  '👨‍👩‍👧',
  '\u0000',
  '\u2028',
  'null',
  '42',
);

/** Any text, often with sequences that formats handle badly. */
const trickyText: fc.Arbitrary<string> = fc
  .array(fc.oneof({ weight: 3, arbitrary: trickyPieces }, { weight: 2, arbitrary: fc.string({ unit: codePoint }) }), {
    maxLength: 8,
  })
  .map((pieces) => pieces.join(''))
  .filter((text) => !UNWRITABLE.some((end) => text.includes(end)));

const name = fc.stringMatching(/^[a-z][a-zA-Z0-9_-]{0,15}$/).filter((text) => !/^(all|to)$/.test(text));
const key = fc.stringMatching(/^[a-z_][a-zA-Z0-9_]{0,10}$/).filter((text) => text !== '__proto__');
const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })).map((value) => value + 0);

function createValues(text: fc.Arbitrary<string>, keys: fc.Arbitrary<string>): fc.Arbitrary<JsonValue> {
  const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      text,
      number,
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(keys, tie('value'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));
  return value;
}

/** Formats with bare keys and strings without escapes. */
const BRACES: readonly ToolCallFamilyName[] = ['gemma4', 'functiongemma'];

/** Calls that a family can write. */
export function createCalls(family: ToolCallFamilyName): fc.Arbitrary<WrittenCall[]> {
  const keys = BRACES.includes(family)
    ? key
    : trickyText.filter((text) => text !== '__proto__' && isKeyReadByNode(text));
  const args = fc.dictionary(key, createValues(trickyText, keys), { maxKeys: 5, noNullPrototype: true });
  return fc.array(fc.record({ name, arguments: args }), { minLength: 1, maxLength: 4 });
}

/** Tools that match the calls, with a type for each argument; a name's arguments may be passed in every call of it. */
export function toolsFor(calls: readonly WrittenCall[]): TextCallTool[] {
  const types = new Map<string, Map<string, Set<string>>>();
  for (const call of calls) {
    const known = types.get(call.name) ?? new Map<string, Set<string>>();
    types.set(call.name, known);
    for (const [argument, value] of Object.entries(call.arguments)) {
      known.set(argument, (known.get(argument) ?? new Set()).add(getType(value)));
    }
  }
  return [...types].map(([tool, properties]) => ({
    name: tool,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries([...properties].map(([argument, all]) => [argument, { type: [...all] }])),
    } satisfies JsonObject,
  }));
}

function getType(value: JsonValue): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** False if the text form of an argument is ambiguous among the types its tool allows. */
export function isUnambiguous(tools: readonly TextCallTool[]): boolean {
  return tools.every(({ inputSchema }) =>
    Object.values(inputSchema['properties'] as JsonObject).every((schema) => {
      const { type } = schema as { type: string[] };
      return type.length === 1;
    }),
  );
}
