import { ToolyardError } from '@toolyard/protocol';
import { dialectOf, TOOL_CALL_FAMILIES, type ToolCallFormat } from './formats.ts';
import { TextCallParser, type ParserSettings } from './parser.ts';
import type { ToolCallTextParser } from './types.ts';

export type ToolCallTextParserOptions = Omit<ParserSettings, 'tools'> & {
  /** Default `auto`. */
  format?: ToolCallFormat;
  /** What is on offer; without any, nothing is known of it and every name is one. */
  tools?: ParserSettings['tools'];
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
 *
 * @throws ToolyardError `bad_config` for a format there is not
 */
export function createToolCallTextParser(options: ToolCallTextParserOptions = {}): ToolCallTextParser {
  const { format = 'auto', tools = [] } = options;
  if (format !== 'auto' && !TOOL_CALL_FAMILIES.includes(format)) {
    throw new ToolyardError({
      code: 'bad_config',
      message: `There is no format of tool calls "${String(format)}".`,
      hint: `There are: auto, ${TOOL_CALL_FAMILIES.join(', ')}.`,
    });
  }
  return new TextCallParser(dialectOf(format), { ...options, tools });
}

/** Tells leading thinking from the answer and touches nothing else: for requests that offer no tools. */
export function createReasoningSplitter(options: { startsInReasoning?: boolean } = {}): ToolCallTextParser {
  return new TextCallParser(dialectOf('plain'), { ...options, tools: [] });
}
