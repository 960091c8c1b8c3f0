import type { WrittenCall } from '../types.ts';
import type { BlockReader, Opening } from './opening.ts';

/** One way of writing tool calls as text: how calls are recognised, and how they are written. */
export type Family = {
  openings: readonly Opening[];
  /** The calls as a model of this family writes them. */
  write: (calls: readonly WrittenCall[]) => string;
  /** Reads the beginning of an answer, where the prompt has opened it. */
  first?: BlockReader;
};
