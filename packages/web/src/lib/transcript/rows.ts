import type {
  BudgetInterrupt,
  CitationPart,
  ErrorInfo,
  ImagePart,
  MessageEnd,
  Usage,
  UserMessage,
} from '@toolyard/protocol';
import { textOfParts } from '../composer/queue.ts';
import type { CallView } from './calls.ts';

/**
 * What the list of messages shows, one row a message. Rows and blocks are values: whatever did not change stays the
 * very same object, so that only what changed is drawn again.
 */
export type TranscriptRow = UserRow | AssistantRow | FoldRow | NoticeRow | BudgetRow | OutcomeRow;

export type UserRow = {
  kind: 'user';
  key: string;
  message: UserMessage;
  /** All messages beside it, itself included, by age; empty where there is no other. */
  alternatives: readonly string[];
  /** Shown before the server has it. */
  sending: boolean;
};

export type AssistantRow = {
  kind: 'assistant';
  key: string;
  messageId: string;
  parentId: string | null;
  runId: string;
  model: string;
  createdAt: number;
  blocks: readonly RowBlock[];
  /** `pending`: nothing has come yet. */
  status: 'pending' | 'writing' | 'finished' | 'abandoned';
  finishReason: MessageEnd;
  usage: Usage | null;
  /** US dollars; null where nobody knows. */
  cost: number | null;
  alternatives: readonly string[];
  /** The first row of an answer. */
  head: boolean;
  /** Set at the last row of an answer: what its actions act on. */
  answer: AnswerOf | null;
};

/** An answer as a whole: the messages of one run between two messages of the person. */
export type AnswerOf = {
  /** Its first message: the one another answer would stand beside. */
  messageId: string;
  alternatives: readonly string[];
  /** What all its messages together took; null where nobody counted. */
  usage: Usage | null;
  /** US dollars for all of them; null where that of one is not known. */
  cost: number | null;
};

/** From here on the model gets a summary in the place of the messages above, which stay as they are. */
type FoldRow = { kind: 'fold'; key: string; messageId: string; text: string; messages: number };

type NoticeRow = { kind: 'notice'; key: string; level: 'info' | 'warning'; text: string };

/** A budget is used up, and the run waits for somebody to say whether it may go on. */
type BudgetRow = { kind: 'budget'; key: string; interrupt: BudgetInterrupt };

/** How a run ended where no message tells of it. */
export type OutcomeRow = {
  kind: 'outcome';
  key: string;
  outcome: { type: 'failed'; error: ErrorInfo } | { type: 'cancelled' } | { type: 'unanswered' };
};

export type RowBlock =
  | { type: 'text'; text: string; open: boolean }
  | ReasoningBlock
  | { type: 'call'; call: CallView }
  | { type: 'image'; image: ImagePart }
  | { type: 'citations'; citations: readonly CitationPart[] }
  | { type: 'error'; error: ErrorInfo };

export type ReasoningBlock = {
  type: 'reasoning';
  text: string;
  open: boolean;
  startedAt: number | null;
  /** Null where nobody watched it being written. */
  durationMs: number | null;
};

/** The message a row shows; null for what is no message. */
export function messageIdOf(row: TranscriptRow): string | null {
  if (row.kind === 'user') return row.message.id;
  if (row.kind === 'fold') return row.messageId;
  return row.kind === 'assistant' ? row.messageId : null;
}

/** The text of an answer's row, as it is copied: without reasoning and calls. */
export function textOfRow(row: AssistantRow): string {
  const texts: string[] = [];
  for (const block of row.blocks) if (block.type === 'text') texts.push(block.text);
  return texts.join('\n\n');
}

/** What was written in a row, without its formatting: shown where the row itself cannot be drawn. */
export function rawTextOf(row: TranscriptRow): string {
  switch (row.kind) {
    case 'user':
      return textOfParts(row.message.parts);
    case 'assistant':
      return textOfRow(row);
    case 'fold':
    case 'notice':
      return row.text;
    case 'budget':
    case 'outcome':
      return '';
  }
}

/** The provider refused the request itself: asked to continue, it would refuse that as well. */
const REFUSED_REQUEST: readonly string[] = [
  'invalid_key',
  'quota_exceeded',
  'model_not_found',
  'unauthorized',
  'forbidden',
];

/** True for an answer that can be continued: it was cut, and not refused before anything was written. */
export function isCut({ finishReason, blocks }: AssistantRow): boolean {
  if (finishReason === 'length' || finishReason === 'cancelled') return true;
  if (finishReason !== 'error') return false;
  const isRefused = blocks.some((block) => block.type === 'error' && REFUSED_REQUEST.includes(block.error.code));
  return !isRefused && blocks.some((block) => block.type !== 'error');
}

/** True for an answer that is still to grow. */
export function isOpenRow(row: AssistantRow): boolean {
  return row.status === 'pending' || row.status === 'writing';
}

/** True for a row that only stands for an answer whose message is not known yet. */
export function isPlaceholder(row: AssistantRow): boolean {
  return row.messageId === placeholderId(row.runId);
}

export function placeholderId(runId: string): string {
  return `${runId}:awaited`;
}
