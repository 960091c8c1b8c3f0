import type { CitationPart } from '@toolyard/protocol';

/** What references in the text of an answer refer to. */
export type AnswerContext = {
  /** Prefix of the ids of its elements. */
  id: string;
  /** Numbers of its footnotes, by label. */
  notes: ReadonlyMap<string, number>;
  /** Its sources; `[1]` is the first. */
  citations: readonly CitationPart[];
};
