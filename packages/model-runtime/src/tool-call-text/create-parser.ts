import { ToolyardError } from '@toolyard/protocol';
import { getDialect, TOOL_CALL_FAMILIES, type ToolCallFormat } from './formats.ts';
import { TextCallParser, type ParserSettings } from './parser.ts';
import type { ToolCallTextParser } from './types.ts';

/** Options of {@link createToolCallTextParser}. */
export type ToolCallTextParserOptions = Omit<ParserSettings, 'tools'> & {
  /** Default `auto`. */
  format?: ToolCallFormat;
  /** The offered tools; if absent, every name is accepted. */
  tools?: ParserSettings['tools'];
};

/**
 * Parses tool calls that a model wrote as text, and the thinking before them.
 *  Text that may be the start of a marker, and whitespace before one, is buffered until certain. A call within
 *  thinking, or in a Markdown code fence of a longer answer, is text.
 *
 * @example
 * const parser = createToolCallTextParser({ tools });
 * for (const chunk of chunks) show(parser.push(chunk));
 * show(parser.end());
 *
 * @throws ToolyardError `bad_config` for an unknown format
 */
export function createToolCallTextParser(options: ToolCallTextParserOptions = {}): ToolCallTextParser {
  const { format = 'auto', tools = [] } = options;
  if (format !== 'auto' && !TOOL_CALL_FAMILIES.includes(format)) {
    throw new ToolyardError({
      code: 'bad_config',
      message: `Unknown tool call format "${String(format)}".`,
      hint: `Available formats: auto, ${TOOL_CALL_FAMILIES.join(', ')}.`,
    });
  }
  return new TextCallParser(getDialect(format), { ...options, tools });
}

/**
 * Separates leading thinking from the answer and changes nothing else: for requests without tools.
 *
 * @example
 * const splitter = createReasoningSplitter();
 * const parts = [...splitter.push('<think>Hm.</think>Hello'), ...splitter.end()];
 */
export function createReasoningSplitter(options: { startsInReasoning?: boolean } = {}): ToolCallTextParser {
  return new TextCallParser(getDialect('plain'), { ...options, tools: [] });
}
