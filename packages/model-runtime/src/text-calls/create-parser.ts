import { familiesOf, type ToolCallFormat } from './families.ts';
import { familySet, type FamilySet } from './family-set.ts';
import { TextCallParser, type ParserSettings } from './parser.ts';
import type { ToolCallTextParser } from './types.ts';

export type ToolCallTextParserOptions = ParserSettings & {
  /** Default `auto`. */
  format?: ToolCallFormat;
};

/**
 * Finds tool calls that a model wrote as text, and the thinking in front of them.
 *
 * Withheld until certain: whatever may be the beginning of a marker, and whitespace that may stand before one. A call
 * inside the thinking, or inside a Markdown code fence, is no call.
 *
 * @example
 * const parser = createToolCallTextParser({ tools });
 * for (const chunk of chunks) show(parser.push(chunk));
 * show(parser.end());
 */
export function createToolCallTextParser(options: ToolCallTextParserOptions): ToolCallTextParser {
  const format = options.format ?? 'auto';
  let set = sets.get(format);
  if (set === undefined) {
    set = familySet(familiesOf(format));
    sets.set(format, set);
  }
  return new TextCallParser(set, options);
}

const sets = new Map<ToolCallFormat, FamilySet>();
const NO_FAMILIES = familySet([]);

/** Tells leading thinking from the answer and touches nothing else: for requests that offer no tools. */
export function createReasoningSplitter(options: { startsInReasoning?: boolean } = {}): ToolCallTextParser {
  return new TextCallParser(NO_FAMILIES, { ...options, tools: [] });
}
