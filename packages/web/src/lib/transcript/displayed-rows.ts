import { groupView } from '../groups/group-call.ts';
import type { AnswerOf, AssistantRow, RowBlock, TranscriptRow } from './rows.ts';
import { isOpenRow } from './rows.ts';
import { sameList } from './mark-answers.ts';
import { NO_ROWS } from './transcript.ts';
import type { RowList } from './transcript.ts';

/**
 * The rows as the list shows them. Three things cross the borders of messages: calls that follow one another are one
 * group, so a message that continues a sequence of calls is merged into the row before it; a repeated request that fails
 * again is shown once; and an answer that continues a cut one is part of that answer. Rows without such neighbours are the same objects as in the transcript, and merged
 * ones stay the same as long as their sources do.
 */
export class DisplayedRows {
  readonly #merged = new WeakMap<TranscriptRow, { sources: readonly TranscriptRow[]; row: AssistantRow }>();
  readonly #keys = new Map<string, string>();
  #source: readonly TranscriptRow[] = [];
  #next: string | null = null;
  #settled: readonly TranscriptRow[] = NO_ROWS.settled;

  of(rows: RowList): RowList {
    const running: TranscriptRow[] = [];
    for (let index = rows.settled.length; index < rows.length; index += 1) {
      const row = rows.at(index);
      if (row !== undefined) running.push(row);
    }
    // Only the identity of the first running row decides whether it continues the settled ones.
    const next = running[0]?.kind === 'assistant' ? running[0].runId : null;
    if (rows.settled !== this.#source || next !== this.#next) {
      this.#keys.clear();
      this.#settled = this.#display(rows.settled, undefined, running[0]);
      this.#source = rows.settled;
      this.#next = next;
    }
    const settled = this.#settled;
    const tail = this.#display(running, settled.at(-1), undefined);
    return {
      length: settled.length + tail.length,
      at: (index) => (index < settled.length ? settled[index] : tail[index - settled.length]),
      settled,
    };
  }

  /** The key of the row that shows a message. */
  getKey(messageId: string): string {
    return this.#keys.get(messageId) ?? messageId;
  }

  #display(
    rows: readonly TranscriptRow[],
    before: TranscriptRow | undefined,
    after: TranscriptRow | undefined,
  ): readonly TranscriptRow[] {
    const shown: TranscriptRow[] = [];
    let previous = before;
    for (let index = 0; index < rows.length;) {
      const first = rows[index];
      if (first === undefined) break;
      if (isEmpty(first)) {
        index += 1;
        continue;
      }
      let end = index + 1;
      while (continuesCalls(rows[end - 1], rows[end]) || failsAgain(rows[end - 1], rows[end])) end += 1;
      const sources = rows.slice(index, end);
      const row = first.kind === 'assistant' ? this.#answerRow(sources, first, previous, rows[end] ?? after) : first;
      shown.push(row);
      previous = row;
      index = end;
    }
    return shown;
  }

  #answerRow(
    sources: readonly TranscriptRow[],
    first: AssistantRow,
    previous: TranscriptRow | undefined,
    next: TranscriptRow | undefined,
  ): AssistantRow {
    const answers = sources.filter((row) => row.kind === 'assistant');
    const last = answers.at(-1) ?? first;
    const begin = findBeginning(previous, first);
    const isContinued = isOtherAnswer(last, next);
    if (answers.length === 1 && begin === null && !isContinued) return first;
    for (const { messageId } of answers) this.#keys.set(messageId, first.key);
    const known = this.#merged.get(first);
    if (known !== undefined && sameParts(known, sources, begin, isContinued)) return known.row;
    const row: AssistantRow = {
      ...last,
      key: first.key,
      createdAt: first.createdAt,
      head: first.head && begin === null,
      blocks:
        answers.length === 1
          ? first.blocks
          : answers.filter((each, at) => !failsAgain(each, answers[at + 1])).flatMap(({ blocks }) => blocks),
      begin,
      isContinued,
    };
    this.#merged.set(first, { sources, row });
    return row;
  }
}

function sameParts(
  known: { sources: readonly TranscriptRow[]; row: AssistantRow },
  sources: readonly TranscriptRow[],
  begin: AnswerOf | null,
  isContinued: boolean,
): boolean {
  const { row } = known;
  if (row.isContinued !== isContinued || known.sources.length !== sources.length) return false;
  if (row.begin?.messageId !== begin?.messageId || !sameList(row.begin?.alternatives ?? [], begin?.alternatives ?? []))
    return false;
  return known.sources.every((source, index) => source === sources[index]);
}

/** Two answers without a message of the user between them: the second continues the first. */
function isOtherAnswer(row: TranscriptRow | undefined, next: TranscriptRow | undefined): boolean {
  return row?.kind === 'assistant' && next?.kind === 'assistant' && row.runId !== next.runId;
}

/** The cut answer that `row` continues, from its beginning; null if `row` begins one itself. */
function findBeginning(previous: TranscriptRow | undefined, row: AssistantRow): AnswerOf | null {
  if (previous?.kind !== 'assistant') return null;
  return previous.begin ?? (previous.runId === row.runId ? null : previous.answer);
}

/** Whether `next` only continues the calls at the end of `row`. */
function continuesCalls(row: TranscriptRow | undefined, next: TranscriptRow | undefined): boolean {
  if (row?.kind !== 'assistant' || next?.kind !== 'assistant' || row.runId !== next.runId) return false;
  if (row.status !== 'finished' || next.status === 'abandoned' || hasRemark(row)) return false;
  return row.blocks.at(-1)?.type === 'call' && next.blocks.find((block) => !isBetweenCalls(block))?.type === 'call';
}

/** Whether `row` is nothing but a failure, and `next` the same one of the repeated request. */
function failsAgain(row: TranscriptRow | undefined, next: TranscriptRow | undefined): boolean {
  if (row?.kind !== 'assistant' || next?.kind !== 'assistant' || row.runId !== next.runId) return false;
  const [failure, ...others] = row.blocks;
  if (failure?.type !== 'error' || others.length > 0) return false;
  return next.blocks.some((block) => block.type === 'error' && block.error.code === failure.error.code);
}

/** A message with nothing but decisions of a group that are not shown; its actions need a row. */
function isEmpty(row: TranscriptRow): boolean {
  if (row.kind !== 'assistant' || isOpenRow(row) || row.answer !== null || row.blocks.length === 0) return false;
  return row.blocks.every((block) => block.type === 'call' && groupView(block.call) === 'hidden');
}

/** A row that ends with a remark on how it was cut. */
function hasRemark({ finishReason }: AssistantRow): boolean {
  return finishReason !== 'tool_calls' && finishReason !== 'stop';
}

/** What may lie between two calls of a group: reasoning, and text of spaces alone. */
export function isBetweenCalls(block: RowBlock): boolean {
  return block.type === 'reasoning' || (block.type === 'text' && block.text.trim() === '');
}
