import type { JsonObject, ToolDefinition } from '@toolyard/protocol';

/** Output of the parser. Text and reasoning are emitted as soon as they are certain; a call is emitted complete. */
export type TextCallPart =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  /** `id` is the model's own, or generated. */
  | { type: 'tool_call'; id: string; name: string; arguments: JsonObject }
  /** `raw` is the model's text including markers; such a call never runs. */
  | { type: 'malformed_tool_call'; raw: string; reason: string };

/**
 * Parses an answer as it streams. Never throws; everything that is not a recognised call is returned as text,
 * unchanged.
 */
export interface ToolCallTextParser {
  /** Adds the next chunk, split anywhere, and returns what has become certain. */
  push(chunk: string): TextCallPart[];
  /** Ends the answer and returns the buffered rest. */
  end(): TextCallPart[];
}

/** What the parser needs of a tool: its model-facing name and the types of its arguments. */
export type TextCallTool = Pick<ToolDefinition, 'name' | 'inputSchema'>;

/** A call to be formatted as a model would write it. */
export type WrittenCall = { name: string; arguments: JsonObject };
