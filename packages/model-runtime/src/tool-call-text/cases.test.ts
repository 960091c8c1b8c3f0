import { canonicalJson, defined } from '@toolyard/protocol';
import { describe, expect, test } from 'vitest';
import { createToolCallTextParser } from './create-parser.ts';
import type { ToolCallFormat } from './formats.ts';
import { DECIDED } from './test-fixtures/decided.ts';
import { folded, toOutcome, readCases, toTools, type Case, type Outcome } from './test-fixtures/cases.ts';

const RAW_ON_FAILURE = 'returns_raw_text_on_failure';
/** Their answers start inside a message that the prompt opened; nothing in the text shows it. */
const BY_NAME_ONLY = new Set([
  'llamacpp-meetkai-functionary-medium-v3.2-3965',
  'llamacpp-meetkai-functionary-medium-v3.2-3966',
]);

function parse(one: Case, format: ToolCallFormat, chunks: readonly string[]): Outcome {
  const parser = createToolCallTextParser({
    format,
    tools: toTools(one),
    startsInReasoning: one.starts_in_reasoning === true,
  });
  return toOutcome([...chunks.flatMap((chunk) => parser.push(chunk)), ...parser.end()]);
}

/** The differences of an outcome, part by part; empty if it is correct. */
function problems(one: Case, outcome: Outcome): string[] {
  const { checks = {}, expect: recorded } = one;
  const expected = { ...recorded, ...DECIDED[one.id] };
  const found: string[] = [];
  const calls = outcome.calls.map((call) => ({ name: call.name, arguments: call.arguments }));
  const expectedCalls = expected.tool_calls;
  if (!('tool_calls' in checks)) {
    const names = (list: { name: string }[]): string => list.map(({ name }) => name).join(', ');
    if (names(calls) !== names(expectedCalls)) found.push(`calls [${names(calls)}], not [${names(expectedCalls)}]`);
    else if (!('arguments' in checks) && canonicalJson(calls) !== canonicalJson(expectedCalls)) {
      found.push(`arguments ${JSON.stringify(calls)}, not ${JSON.stringify(expectedCalls)}`);
    }
  }
  if (!('content' in checks)) {
    const content = one.policy?.includes(RAW_ON_FAILURE) === true ? outcome.shown : outcome.content;
    if (folded(content) !== folded(expected.content)) {
      found.push(`content ${JSON.stringify(content)}, not ${JSON.stringify(expected.content)}`);
    }
  }
  if (!('reasoning' in checks) && expected.reasoning !== undefined) {
    if (folded(outcome.reasoning) !== folded(expected.reasoning)) {
      found.push(`reasoning ${JSON.stringify(outcome.reasoning)}, not ${JSON.stringify(expected.reasoning)}`);
    }
  }
  return found;
}

/** Pieces of pseudo-random length, reproducible by seed. */
function randomPieces(text: string, seed: number): string[] {
  const pieces: string[] = [];
  let state = seed + text.length;
  for (let at = 0; at < text.length;) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    const length = 1 + (state % 9);
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  return pieces;
}

function splitVariants(one: Case): Record<string, string[]> {
  return {
    whole: [one.input],
    'one character at a time': one.input.split(''),
    'in random pieces': randomPieces(one.input, 1),
    'in other random pieces': randomPieces(one.input, 2),
    ...defined({ 'as its source does': one.chunks }),
  };
}

/** The first failing variant of a case, or null. */
function failure(one: Case, formats: readonly ToolCallFormat[]): string | null {
  for (const format of formats) {
    for (const [variant, chunks] of Object.entries(splitVariants(one))) {
      const found = problems(one, parse(one, format, chunks));
      if (found.length > 0) return `${one.id}, by ${format}, ${variant}: ${found.join('; ')}`;
    }
  }
  return null;
}

const cases = readCases();

test('parses all 335 engine cases, however they are split, by name and by auto', () => {
  const table = new Map<string, { right: number; all: number }>();
  const failures: string[] = [];
  for (const one of cases) {
    const row = table.get(one.family) ?? { right: 0, all: 0 };
    const failed = failure(one, BY_NAME_ONLY.has(one.id) ? [one.family] : [one.family, 'auto']);
    table.set(one.family, { right: row.right + (failed === null ? 1 : 0), all: row.all + 1 });
    if (failed !== null) failures.push(failed);
  }
  const rows = [...table].sort().map(([family, { right, all }]) => `${family.padEnd(22)} ${right} of ${all}`);
  const right = cases.length - failures.length;
  process.stdout.write(`${rows.join('\n')}\n${'total'.padEnd(22)} ${right} of ${cases.length}\n`);
  expect(failures).toEqual([]);
  expect(cases).toHaveLength(335);
});

describe('cases on which engines differ', () => {
  const ids = new Set(cases.map((one) => one.id));
  test.each(Object.keys(DECIDED))('%s is one of the cases and a documented policy', (id) => {
    expect(ids.has(id)).toBe(true);
    expect(cases.find((one) => one.id === id)?.policy ?? []).not.toEqual([]);
  });
});
