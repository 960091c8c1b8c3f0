import type { TextBlock } from './block.ts';
import type { TextReading } from './reading.ts';

/**
 * Where an opening counts: at the beginning of a word or of a line (`indented`: however far
 * to the right), before anything else was said, or where nothing but
 * whitespace lies between it and a call.
 */
type Place = 'anywhere' | 'word' | 'line' | 'indented' | 'lead' | 'after_call';

/** A stretch of the answer with markers of its own: thinking, or a framed text. */
export type Section = { kind: 'text' | 'reasoning'; openings: readonly Opening[] };

/**
 * How a reader leaves off.
 * - `done`: what stands before the cursor is dealt with
 * - `text`: what stands before `upTo` is text after all, and reading goes on there
 * - `enter`, `leave`: a section begins, or the one that is open ends
 */
export type ReaderVerdict =
  | { type: 'done' }
  | { type: 'text'; upTo: number }
  | { type: 'enter'; section: Section }
  | { type: 'leave' };

/** Reads what an opening opens, from behind its marker on. Never throws. */
export type BlockReader = (block: TextBlock) => TextReading<ReaderVerdict>;

/** A marker that may open a block, and what reads it. */
export type Opening = {
  marker: string;
  /** Default: anywhere. */
  place?: Place;
  /** True for what may follow, whitespace aside: tells apart families that share a marker. */
  begins?: (code: number) => boolean;
  read: BlockReader;
  /** Only calls are looked for in thinking that never ends; and only of families that do call there. */
  inUnclosedThinking?: true;
  /** Not a marker but ordinary characters that may begin a call. */
  weak?: true;
};

export const READER_DONE: ReaderVerdict = { type: 'done' };
