import type { BlockVerdict, TextBlock } from './block.ts';
import type { TextReading } from './reading.ts';

/**
 * Where an opening counts: at the start of a word or line (`indented`: with any indentation), before any other text, or
 * with only whitespace between it and a call.
 */
type MarkerPosition = 'anywhere' | 'word' | 'line' | 'indented' | 'lead' | 'after_call';

/** A section of the answer with markers of its own: thinking, or a framed text. */
export type Section = { kind: 'text' | 'reasoning'; openings: readonly Opening[] };

/**
 * How a reader ends.
 * - `done`: everything before the cursor is consumed
 * - `text`: everything before `upTo` is text, and parsing continues there
 * - `enter`, `leave`: a section starts, or the current one ends
 */
export type ReaderVerdict = BlockVerdict | { type: 'enter'; section: Section } | { type: 'leave' };

/** Reads a block, from after the opening's marker. Never throws. */
export type BlockReader = (block: TextBlock) => TextReading<ReaderVerdict>;

/** A marker that may open a block, and its reader. */
export type Opening = {
  marker: string;
  /** Default: anywhere. */
  place?: MarkerPosition;
  /** Accepts the next character after whitespace: distinguishes families that share a marker. */
  begins?: (code: number) => boolean;
  read: BlockReader;
  /** Thinking that is never closed is searched only for calls, and only of families that write calls there. */
  inUnclosedThinking?: true;
  /** Not a marker but ordinary characters that may start a call. */
  weak?: true;
};
