import type { JsonObject, ToolDefinition } from '@toolyard/protocol';

/** What the parser hands out. Text and reasoning come as soon as they are certain; a call comes whole. */
export type TextCallPart =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  /** `id` is the one the model wrote, or a fresh one. */
  | { type: 'tool_call'; id: string; name: string; arguments: JsonObject }
  /** `raw` is what the model wrote, markers included; such a call never runs. */
  | { type: 'malformed_tool_call'; raw: string; reason: string };

/** Reads an answer as it streams. Never throws; whatever is no recognised call comes back as text, to the character. */
export interface ToolCallTextParser {
  /** Takes the next piece, cut anywhere, and returns what has become certain. */
  push(chunk: string): TextCallPart[];
  /** The answer is over: returns what was held back. */
  end(): TextCallPart[];
}

/** What the parser needs to know of a tool: its model-facing name and the types of its arguments. */
export type TextCallTool = Pick<ToolDefinition, 'name' | 'inputSchema'>;

/** A call that is to be written as a model would write it. */
export type WrittenCall = { name: string; arguments: JsonObject };
