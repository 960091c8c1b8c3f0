import type { WrittenCall } from '../types.ts';
import type { BlockReader, Opening } from './opening.ts';

/** One text format of tool calls: how calls are recognised, and how they are written. */
export type Family = {
  openings: readonly Opening[];
  /** Writes calls in this format. */
  write: (calls: readonly WrittenCall[]) => string;
  /** Reads the start of an answer that the prompt opened. */
  first?: BlockReader;
};
