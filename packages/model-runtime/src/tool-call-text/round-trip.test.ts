import { ALL_CASES, cases, fc } from '@toolyard/testing/property';
import { describe, expect, test } from 'vitest';
import { createToolCallTextParser } from './create-parser.ts';
import { TOOL_CALL_FAMILIES, getWriter, type ToolCallFamilyName, type ToolCallFormat } from './formats.ts';
import { createCalls, isUnambiguous, toolsFor } from './test-fixtures/calls.ts';
import { folded, toOutcome, type Outcome } from './test-fixtures/cases.ts';
import type { TextCallPart, TextCallTool, WrittenCall } from './types.ts';

const families = TOOL_CALL_FAMILIES.filter((family) => family !== 'plain');
/** Its answers start inside a message that the prompt opened. */
const STARTS_INSIDE: readonly ToolCallFamilyName[] = ['functionary_v32'];
/** A fence followed by more text is an example, unless the family is known to write calls there. */
const MUST_END: readonly ToolCallFamilyName[] = ['xlam'];

const words = fc
  .array(
    fc.constantFrom('Ja', 'so', 'x < 3', 'a {b} c', 'arr[0]', 'für', '杭州', '🙂', 'it’s', '"quoted"', '1.', 'for'),
    {
      maxLength: 8,
    },
  )
  .map((all) => all.join(' '));

/** Splits a text at the given positions. */
function split(text: string, cuts: readonly number[]): string[] {
  const at = [...new Set(cuts.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, index) => text.slice(from, at[index] ?? text.length));
}

function parse(text: string, cuts: readonly number[], format: ToolCallFormat, tools: TextCallTool[]): TextCallPart[] {
  const parser = createToolCallTextParser({ format, tools });
  return [...split(text, cuts).flatMap((piece) => parser.push(piece)), ...parser.end()];
}

function read(text: string, cuts: readonly number[], format: ToolCallFormat, calls: readonly WrittenCall[]): Outcome {
  return toOutcome(parse(text, cuts, format, toolsFor(calls)));
}

const cuts = fc.array(fc.nat(), { maxLength: 20 });
const RUNS = cases(120);

describe.each(families)('%s', (family) => {
  const formats: ToolCallFormat[] = STARTS_INSIDE.includes(family) ? [family] : [family, 'auto'];
  const calls = createCalls(family).filter((all) => isUnambiguous(toolsFor(all)));

  test('written calls are parsed back, whatever they contain', () => {
    fc.assert(
      fc.property(calls, cuts, (all, places) => {
        for (const format of formats) {
          const outcome = read(getWriter(family)(all), places, format, all);
          expect(outcome).toEqual({ content: '', shown: '', reasoning: '', calls: all });
        }
      }),
      RUNS,
    );
  });

  test('with text and thinking around them', () => {
    fc.assert(
      fc.property(calls, words, words, words, cuts, (all, thought, before, behind, places) => {
        for (const format of formats) {
          const last = MUST_END.includes(family) && format === 'auto' ? '' : behind;
          const start = STARTS_INSIDE.includes(family)
            ? `all\n${before}\n>>>`
            : `<think>${thought}</think>\n${before}\n`;
          const outcome = read(`${start}${getWriter(family)(all)}\n${last}`, places, format, all);
          expect(outcome.calls).toEqual(all);
          expect(folded(outcome.shown)).toBe(folded(`${before}\n${last}`));
          if (!STARTS_INSIDE.includes(family)) expect(folded(outcome.reasoning)).toBe(folded(thought));
        }
      }),
      RUNS,
    );
  });

  test('truncated anywhere, only complete calls run, and they do not change', () => {
    fc.assert(
      fc.property(calls, fc.nat(), cuts, (all, place, places) => {
        const full = getWriter(family)(all);
        const text = full.slice(0, place % full.length);
        for (const format of formats) {
          const outcome = read(text, places, format, all);
          expect(outcome.calls).toEqual(all.slice(0, outcome.calls.length));
        }
      }),
      RUNS,
    );
  });
});

test('parses a very large call', () => {
  const lines = ALL_CASES ? 60_000 : 6_000;
  const all = [{ name: 'write', arguments: { text: 'line "quoted" \\ \n'.repeat(lines), n: 1 } }];
  for (const family of families) {
    const outcome = read(getWriter(family)(all), [], family, all);
    expect(outcome.calls).toEqual(all);
  }
});
