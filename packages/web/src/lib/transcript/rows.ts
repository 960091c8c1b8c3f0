import type {
  AgentReference,
  BudgetInterrupt,
  CitationPart,
  ErrorInfo,
  ImagePart,
  MemberTurn,
  MessageEnd,
  UnmadeCall,
  Usage,
  UserMessage,
  TextTemplate,
} from '@toolyard/protocol';
import { textOfParts } from '../composer/queue.ts';
import type { CallView } from './calls.ts';

/**
 * What the list of messages shows, one row per message. Rows and blocks are immutable values: unchanged ones stay the
 * same object, so that only changes are rendered.
 */
export type TranscriptRow = UserRow | AssistantRow | CompactionRow | NoticeRow | BudgetRow | OutcomeRow;

export type UserRow = {
  kind: 'user';
  key: string;
  message: UserMessage;
  /** All versions of the message including itself, by age; empty if there is only one. */
  alternatives: readonly string[];
  /** Shown before the server has stored it. */
  sending: boolean;
};

export type AssistantRow = {
  kind: 'assistant';
  key: string;
  messageId: string;
  parentId: string | null;
  runId: string;
  model: string;
  /** The agent that answers. */
  agent?: AgentReference;
  /** Set if a member of a group answers. */
  member?: MemberTurn;
  createdAt: number;
  blocks: readonly RowBlock[];
  /** `pending`: nothing has arrived yet. */
  status: 'pending' | 'writing' | 'finished' | 'abandoned';
  finishReason: MessageEnd;
  /** Calls in its text that were not made. */
  unmadeCalls?: readonly UnmadeCall[];
  usage: Usage | null;
  /** US dollars; null if unknown. */
  cost: number | null;
  alternatives: readonly string[];
  /** The first row of an answer. */
  head: boolean;
  /** Set on the last row of an answer: the target of its actions. */
  answer: AnswerOf | null;
  /** The cut answer that this row continues: set by `DisplayedRows`. */
  begin?: AnswerOf | null;
  /** Another answer continues this one, so nothing separates the two: set by `DisplayedRows`. */
  isContinued?: boolean;
};

/** An answer as a whole: the messages of one run between two messages of the user. */
export type AnswerOf = {
  /** Its first message: regenerated answers are siblings of it. */
  messageId: string;
  alternatives: readonly string[];
  /** Total usage of its messages; null if unknown. */
  usage: Usage | null;
  /** Total in US dollars; null if the cost of a message is unknown. */
  cost: number | null;
};

/** After this row the model receives a summary instead of the messages above, which stay as they are. */
type CompactionRow = { kind: 'compaction'; key: string; messageId: string; text: string; messages: number };

type NoticeRow = {
  kind: 'notice';
  key: string;
  level: 'info' | 'warning';
  text: string;
  template?: TextTemplate | undefined;
};

/** A budget is used up, and the run waits for a user to decide whether it may continue. */
type BudgetRow = { kind: 'budget'; key: string; interrupt: BudgetInterrupt };

/** How a run ended, if no message shows that. */
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
  /** Null if it was not observed. */
  durationMs: number | null;
};

/** The message of a row; null for rows without one. */
export function findMessageId(row: TranscriptRow): string | null {
  if (row.kind === 'user') return row.message.id;
  if (row.kind === 'compaction') return row.messageId;
  return row.kind === 'assistant' ? row.messageId : null;
}

/** The text of an answer's row for copying: without reasoning and calls. */
export function textOfRow(row: AssistantRow): string {
  const texts: string[] = [];
  for (const block of row.blocks) if (block.type === 'text') texts.push(block.text);
  return texts.join('\n\n');
}

/** Plain text of a row, shown if rendering it fails. */
export function getRawText(row: TranscriptRow): string {
  switch (row.kind) {
    case 'user':
      return textOfParts(row.message.parts);
    case 'assistant':
      return textOfRow(row);
    case 'compaction':
    case 'notice':
      return row.text;
    case 'budget':
    case 'outcome':
      return '';
  }
}

/** The provider rejected the request itself: it would reject a continuation as well. */
const REFUSED_REQUEST: readonly string[] = [
  'invalid_key',
  'quota_exceeded',
  'model_not_found',
  'unauthorized',
  'forbidden',
];

/** True for an answer that can be continued: it was cut off, and not rejected before any output. */
export function isCut({ finishReason, blocks }: AssistantRow): boolean {
  if (finishReason === 'length' || finishReason === 'cancelled') return true;
  if (finishReason !== 'error') return false;
  const isRefused = blocks.some((block) => block.type === 'error' && REFUSED_REQUEST.includes(block.error.code));
  return !isRefused && blocks.some((block) => block.type !== 'error');
}

/** True for an answer that may still grow. */
export function isOpenRow(row: AssistantRow): boolean {
  return row.status === 'pending' || row.status === 'writing';
}

/** True for the placeholder of an answer whose message is not known yet. */
export function isPlaceholder(row: AssistantRow): boolean {
  return row.messageId === placeholderId(row.runId);
}

export function placeholderId(runId: string): string {
  return `${runId}:awaited`;
}
