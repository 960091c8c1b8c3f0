import { dialectOf, type ToolCallFormat } from './formats.ts';
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
 * inside the thinking, or inside a Markdown code fence of a longer answer, is no call.
 *
 * @example
 * const parser = createToolCallTextParser({ tools });
 * for (const chunk of chunks) show(parser.push(chunk));
 * show(parser.end());
 */
export function createToolCallTextParser(options: ToolCallTextParserOptions): ToolCallTextParser {
  return new TextCallParser(dialectOf(options.format ?? 'auto'), options);
}

/** Tells leading thinking from the answer and touches nothing else: for requests that offer no tools. */
export function createReasoningSplitter(options: { startsInReasoning?: boolean } = {}): ToolCallTextParser {
  return new TextCallParser(dialectOf('plain'), { ...options, tools: [] });
}
