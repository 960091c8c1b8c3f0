import type {
  AgentReference,
  ContextFill,
  ConversationView,
  Message,
  MessagePage,
  RunRecord,
  RunStatus,
  ToolMessage,
  UserMessage,
} from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import { buildRows } from './build-rows.ts';
import { withKnownTimes } from './known-times.ts';
import { markAnswers, sameList } from './mark-answers.ts';
import { keepNotices, keepKnownRows } from './reuse-rows.ts';
import type { AssistantRow, TranscriptRow } from './rows.ts';
import { placeholderId, findMessageId } from './rows.ts';
import { withOutcome } from './run-outcome.ts';

/**
 * One branch of a conversation as shown. Settled rows are in `history`, which events of the active run never change: a
 * token costs the same in a conversation of ten messages and of ten thousand.
 */
export type Transcript = {
  conversationId: string;
  history: readonly TranscriptRow[];
  /** The rows of {@link Transcript.run}. */
  tail: readonly TranscriptRow[];
  run: RunState | null;
  /** Context usage of the last observed request. */
  fill: ContextFill | null;
  /** There are older messages to load. */
  earlier: boolean;
  /** The first loaded message of the branch; older ones come before it. */
  firstId: string | null;
  /** Tool results whose calls are among the older messages. */
  orphans: ReadonlyMap<string, ToolMessage>;
  /** When the conversation last changed before it was loaded, by the server's clock. */
  asOf: number;
};

/** The run whose rows are the tail: active or just ended. */
export type RunState = {
  id: string;
  status: RunStatus;
  /** The seq of the last event applied. */
  seq: number;
  /** Servers that it waits for before it begins. */
  awaits?: readonly string[];
};

export function isActive(status: RunStatus): boolean {
  return status !== 'done' && status !== 'failed' && status !== 'cancelled';
}

/** The rows as one list, without joining them. */
export type RowList = {
  readonly length: number;
  at(index: number): TranscriptRow | undefined;
  /** Those before the active run: the same list object as long as only that run changes. */
  readonly settled: readonly TranscriptRow[];
};

export const NO_ROWS: RowList = { length: 0, at: () => undefined, settled: [] };

export function rowList({ history, tail }: Pick<Transcript, 'history' | 'tail'>): RowList {
  return {
    length: history.length + tail.length,
    at: (index) => (index < history.length ? history[index] : tail[index - history.length]),
    settled: history,
  };
}

/**
 * The conversation as loaded from the server. `before` is the current transcript: equal rows keep their objects, and
 * data that was only observed (durations, notices) is kept.
 */
export function openTranscript(view: ConversationView, before?: Transcript): Transcript {
  const shown = before?.conversationId === view.id ? before : undefined;
  const run = view.activeRun;
  const shownRows = shown === undefined ? [] : [...shown.history, ...shown.tail];
  const fresh = keepKnownRows(
    withKnownTimes(buildRows({ ...view.page, interrupts: view.interrupts, activeRunId: run?.id })),
    shownRows,
  );
  // A message has exactly one parent chain: rows above the first of these stay valid.
  const joint = shownRows.findIndex((row) => findMessageId(row) !== null && findMessageId(row) === idOfFirst(fresh));
  const above = shown !== undefined && joint > 0 ? shown : undefined;
  const rows = [...shownRows.slice(0, Math.max(0, joint)), ...fresh];
  const base = {
    conversationId: view.id,
    earlier: above?.earlier ?? view.page.earlier,
    firstId: above?.firstId ?? view.page.messages[0]?.id ?? null,
    orphans: above?.orphans ?? listOrphans(view.page.messages),
    asOf: view.updatedAt,
    fill: shown?.fill ?? null,
  };

  const watched = shown?.run ?? null;
  if (watched !== null && (run === null || run.id === watched.id)) {
    const { history, tail } = splitAtRun(rows, watched.id);
    // Its events are more complete and more recent than its stored messages.
    if (run !== null) return { ...base, history, tail: withAlternatives(shown?.tail ?? [], tail), run: watched };
    if (tail.length > 0 || history.at(-1)?.kind === 'user') {
      const all = markAnswers([...history, ...keepNotices(tail, shown?.tail ?? [])]);
      return { ...base, history: withEnding(all, view), tail: [], run: null };
    }
  }
  const marked = markAnswers(rows);
  if (run === null) return { ...base, history: withEnding(marked, view), tail: [], run: null };
  const { history, tail } = splitAtRun(marked, run.id);
  return {
    ...base,
    history,
    tail: tail.some(({ kind }) => kind === 'assistant') ? tail : [...tail, awaitedRow(run)],
    run: { id: run.id, status: run.status, seq: 0 },
  };
}

function withAlternatives(tail: readonly TranscriptRow[], fresh: readonly TranscriptRow[]): readonly TranscriptRow[] {
  return markAnswers(
    tail.map((row) => {
      const stored = fresh.find((other) => findMessageId(other) === findMessageId(row));
      if (row.kind !== 'assistant' || stored?.kind !== 'assistant') return row;
      return sameList(row.alternatives, stored.alternatives) ? row : { ...row, alternatives: stored.alternatives };
    }),
  );
}

/** A new chat without messages. */
export function newTranscript(): Transcript {
  return {
    conversationId: '',
    history: [],
    tail: [],
    run: null,
    fill: null,
    earlier: false,
    firstId: null,
    orphans: new Map(),
    asOf: 0,
  };
}

/** Prepends older messages. */
export function prependPage(transcript: Transcript, page: MessagePage): Transcript {
  const shown = new Set<string>();
  for (const row of [...transcript.history, ...transcript.tail]) {
    const id = findMessageId(row);
    if (id !== null) shown.add(id);
  }
  const { orphans } = transcript;
  const built = buildRows({ ...page, activeRunId: transcript.run?.id, results: orphans });
  const older = withKnownTimes(built).filter((row) => !shown.has(findMessageId(row) ?? row.key));
  const rows = markAnswers([...older, ...transcript.history, ...transcript.tail]);
  const split = transcript.run === null ? { history: rows, tail: [] } : splitAtRun(rows, transcript.run.id);
  return {
    ...transcript,
    ...split,
    earlier: page.earlier,
    firstId: page.messages[0]?.id ?? transcript.firstId,
    orphans: new Map([...orphans, ...listOrphans(page.messages)]),
  };
}

/** Shows the message just sent, before the server has stored it. */
export function showSending(transcript: Transcript, message: UserMessage): Transcript {
  const settled = settle(transcript);
  const row: TranscriptRow = { kind: 'user', key: message.id, message, alternatives: [], sending: true };
  return { ...settled, history: [...settled.history.filter((other) => other.kind !== 'outcome'), row] };
}

/** Removes a message that could not be sent. */
export function forgetSending(transcript: Transcript, messageId: string): Transcript {
  return { ...transcript, history: transcript.history.filter((row) => findMessageId(row) !== messageId) };
}

/**
 * A run starts after `message`: a regenerated answer, or a message that may be shown already. Rows after it belong to
 * another branch from now on.
 */
export function beginRun(
  transcript: Transcript,
  run: { id: string; status: RunStatus; at: number; agent?: AgentReference },
  message: UserMessage,
): Transcript {
  if (transcript.run?.id === run.id) return sentNow(transcript, message);
  const settled = sentNow(settle(transcript), message);
  return {
    ...settled,
    history: branchTo(settled.history, message),
    tail: [awaitedRow({ id: run.id, createdAt: run.at, ...defined({ agent: run.agent }) })],
    run: { id: run.id, status: run.status, seq: 0 },
  };
}

/** True if the start of the run was applied before: it is among the rows, or had ended when they were loaded. */
export function isStaleEvent(transcript: Transcript, run: { id: string; startedAt: number }): boolean {
  if (run.startedAt < transcript.asOf) return true;
  return transcript.history.some((row) => row.kind === 'assistant' && row.runId === run.id);
}

function branchTo(history: readonly TranscriptRow[], message: UserMessage): readonly TranscriptRow[] {
  const shownAt = history.findLastIndex((row) => findMessageId(row) === message.id);
  if (shownAt >= 0) return history.slice(0, shownAt + 1);
  const row: TranscriptRow = { kind: 'user', key: message.id, message, alternatives: [], sending: false };
  // An edited message replaces the one it was made from.
  const besideAt = history.findIndex((other) => other.kind === 'user' && other.message.parentId === message.parentId);
  if (besideAt >= 0) return [...history.slice(0, besideAt), row];
  if (message.parentId === null) return [row];
  // A tool result is shown in the row of its call, so the last row may contain the parent without being it.
  const parentAt = history.findLastIndex((other) => findMessageId(other) === message.parentId);
  const kept = parentAt >= 0 ? history.slice(0, parentAt + 1) : history.filter((other) => other.kind !== 'outcome');
  return [...kept, row];
}

function sentNow(transcript: Transcript, message: UserMessage): Transcript {
  const at = transcript.history.findLastIndex((row) => findMessageId(row) === message.id);
  const row = transcript.history[at];
  if (row?.kind !== 'user' || !row.sending) return transcript;
  return { ...transcript, history: transcript.history.with(at, { ...row, message, sending: false }) };
}

/** Moves the rows of a run that has ended to the history. */
function settle(transcript: Transcript): Transcript {
  if (transcript.tail.length === 0) return { ...transcript, run: null };
  return { ...transcript, history: [...transcript.history, ...transcript.tail], tail: [], run: null };
}

function idOfFirst(rows: readonly TranscriptRow[]): string | null {
  const [first] = rows;
  return first === undefined ? null : findMessageId(first);
}

function listOrphans(messages: readonly Message[]): ReadonlyMap<string, ToolMessage> {
  const asked = new Set<string>();
  const orphans = new Map<string, ToolMessage>();
  for (const message of messages) {
    if (message.role === 'assistant') {
      for (const part of message.parts) if ('callId' in part) asked.add(part.callId);
    } else if (message.role === 'tool') {
      const [{ callId }] = message.parts;
      if (!asked.has(callId)) orphans.set(callId, message);
    }
  }
  return orphans;
}

function splitAtRun(rows: readonly TranscriptRow[], runId: string): Pick<Transcript, 'history' | 'tail'> {
  const asked = rows.findIndex((row) => row.kind === 'user' && row.message.id === runId);
  // A run that regenerates or continues an answer has no message of its own.
  const at = asked >= 0 ? asked + 1 : rows.findIndex((row) => isOfRun(row, runId));
  return at < 0 ? { history: rows, tail: [] } : { history: rows.slice(0, at), tail: rows.slice(at) };
}

function isOfRun(row: TranscriptRow, runId: string): boolean {
  if (row.kind === 'compaction') return row.messageId.startsWith(`${runId}.`);
  return row.kind === 'assistant' && row.runId === runId;
}

/** An answer without content yet. */
function awaitedRow(run: Pick<RunRecord, 'id' | 'createdAt'> & { agent?: AgentReference }): AssistantRow {
  return {
    kind: 'assistant',
    key: placeholderId(run.id),
    messageId: placeholderId(run.id),
    parentId: null,
    runId: run.id,
    model: '',
    ...defined({ agent: run.agent }),
    createdAt: run.createdAt,
    blocks: [],
    status: 'pending',
    finishReason: 'pending',
    usage: null,
    cost: null,
    alternatives: [],
    head: true,
    answer: null,
  };
}

/** How the last run ended; a message without an answer in progress says so, so that it can be sent again. */
function withEnding(rows: readonly TranscriptRow[], { ended }: ConversationView): readonly TranscriptRow[] {
  const known = ended === undefined ? rows : withOutcome(rows, ended);
  const last = known.at(-1);
  if (last?.kind !== 'user' || last.sending) return known;
  return [...known, { kind: 'outcome', key: `${last.key}:unanswered`, outcome: { type: 'unanswered' } }];
}
