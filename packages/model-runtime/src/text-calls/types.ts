import type { JsonObject, ToolDefinition } from '@toolyard/protocol';

/** What the parser hands out. Text and reasoning come as soon as they are certain; a call comes whole. */
export type TextCallPart =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
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

/** A call as a family reads it, before it has an id. */
export type BlockPart =
  | { type: 'tool_call'; name: string; arguments: JsonObject }
  | { type: 'malformed_tool_call'; raw: string; reason: string };

/**
 * A block is over: what it held, and what was read past its end and belongs to whatever follows. `rest` is in pieces,
 * for joining a short one to a long one again and again costs quadratic time.
 */
export type BlockEnd = { parts: BlockPart[]; rest: readonly string[] };

/** Reads one block, from behind its start marker to its end. Never throws. */
export interface BlockReader {
  /** Takes the next piece; null while the block goes on. */
  push(text: string): BlockEnd | null;
  /** No more text will come. `rest` is less than what the block was given, marker included. */
  end(): BlockEnd;
}

/** Whether the text behind a start marker, from its first character that is no whitespace, is a block of a family. */
type BlockVerdict = 'yes' | 'no' | 'undecided';

/**
 * One way of writing tool calls as text. Families may share a start marker; the first that says `yes` to what follows
 * takes the block. No start marker may be the beginning of another.
 */
export type ToolCallFamily = {
  name: string;
  startMarkers: readonly string[];
  /** Swallowed where nothing but whitespace lies between them and a block of this family: doubled end markers. */
  strayMarkers: readonly string[];
  begins(text: string): BlockVerdict;
  /** `opening` is the start marker with the whitespace behind it, for the `raw` of malformed calls. */
  open(opening: string, tools: readonly ToolDefinition[]): BlockReader;
};
