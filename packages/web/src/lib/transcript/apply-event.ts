import type { AssistantMessage, BudgetInterrupt, Interrupt, RunEvent, UserMessage } from '@toolyard/protocol';
import { defined, ignoreUnknownEvent } from '@toolyard/protocol';
import { toBlocks, compactionRow, getStatus, wholeRow } from './build-rows.ts';
import { withInterrupt, malformedCall, readyCall, withoutInterrupt, startedCall } from './calls.ts';
import type { CallView } from './calls.ts';
import { markAnswers } from './mark-answers.ts';
import type { AssistantRow, RowBlock, TranscriptRow } from './rows.ts';
import { isPlaceholder, isOpenRow } from './rows.ts';
import { withOutcome } from './run-outcome.ts';
import { beginRun, isStaleEvent } from './transcript.ts';
import type { Transcript } from './transcript.ts';

/**
 * The transcript after an event. Pure; for an event of another conversation, or one applied before, it returns the same
 * object.
 */
export function applyRunEvent(transcript: Transcript, event: RunEvent): Transcript {
  if (event.runId !== transcript.run?.id) {
    if (event.type !== 'run_started' || event.conversationId !== transcript.conversationId) return transcript;
    if (isStaleEvent(transcript, { id: event.runId, startedAt: event.at })) return transcript;
    const begun = beginRun(transcript, { id: event.runId, status: 'running', at: event.at }, event.message);
    return applyRunEvent(begun, event);
  }
  if (event.seq <= transcript.run.seq) return transcript;
  const { awaits: _over, ...before } = transcript.run;
  const run = { ...before, seq: event.seq };
  const next = { ...transcript, run };
  switch (event.type) {
    case 'run_started':
      return {
        ...beginRun(transcript, { id: event.runId, status: 'running', at: event.at }, event.message),
        run: { ...run, status: run.status === 'queued' ? 'running' : run.status },
      };

    case 'servers_awaited':
      return { ...next, run: { ...run, awaits: event.servers } };

    case 'step_started':
      return run.status === 'queued' ? { ...next, run: { ...run, status: 'running' } } : next;

    case 'steered':
      return { ...next, tail: markAnswers(addOnce(transcript.tail, steeringRow(event.message))) };

    case 'request_made':
      return { ...next, fill: event.request.fill };

    case 'compression_started':
      return next;

    case 'compression_finished':
      return { ...next, tail: markAnswers(addOnce(transcript.tail, compactionRow(event.message))) };

    case 'compression_failed':
      return {
        ...next,
        tail: markAnswers(
          beforePlaceholder(transcript.tail, {
            kind: 'notice',
            key: `${event.runId}:${String(event.seq)}`,
            level: 'warning',
            text: event.error.message,
          }),
        ),
      };

    case 'message_started':
      return { ...next, tail: markAnswers(startMessage(transcript.tail, event)) };

    case 'text_delta':
      return changeWriting(next, event.messageId, (blocks) => addText(blocks, event));

    case 'reasoning_delta':
      return changeWriting(next, event.messageId, (blocks) => addReasoning(blocks, event));

    case 'tool_call_started':
      return changeWriting(next, event.messageId, (blocks) => [
        ...closed(blocks, event.at),
        { type: 'call', call: startedCall(event.callId, event.name) },
      ]);

    case 'tool_call_delta':
      return changeWriting(next, event.messageId, (blocks) =>
        withCall(blocks, event.callId, (call) => ({
          ...call,
          argumentsText: call.argumentsText + event.argumentsText,
        })),
      );

    case 'tool_call_ready':
      return changeWriting(next, event.messageId, (blocks) =>
        putCall(closed(blocks, event.at), readyCall(event.call, findCall(blocks, event.call.callId))),
      );

    case 'tool_call_malformed':
      return changeWriting(next, event.messageId, (blocks) =>
        putCall(closed(blocks, event.at), malformedCall(event.call, findCall(blocks, event.call.callId))),
      );

    case 'message_finished':
      return { ...next, tail: markAnswers(finishMessage(transcript.tail, event.message, event.at)) };

    case 'attempt_abandoned':
      return { ...next, tail: markAnswers(abandon(transcript.tail, event)) };

    case 'interrupt_requested': {
      const { interrupt } = event;
      if (interrupt.kind === 'budget')
        return { ...next, tail: withBudget(withoutBudget(next.tail, interrupt.id), interrupt) };
      return changeCall(next, interrupt.callId, (call) =>
        call.result === null ? withInterrupt(call, interrupt) : call,
      );
    }

    case 'interrupt_answered':
    case 'interrupt_withdrawn': {
      const callId = askedCall(transcript.tail, event.interruptId);
      if (callId === null) return { ...next, tail: withoutBudget(next.tail, event.interruptId) };
      return changeCall(next, callId, (call) => ({
        ...withoutInterrupt(call, event.interruptId),
        ...(event.type === 'interrupt_answered' ? { answer: event.answer } : {}),
      }));
    }
    case 'tool_started':
      return changeCall(next, event.callId, (call) => ({
        ...call,
        started: true,
        startedAt: event.at,
        editedArguments: event.editedArguments ?? null,
        interrupt: null,
        asksNext: [],
        progress: null,
      }));

    case 'tool_progress': {
      const { progress, total, text, waitsFor } = event;
      return changeCall(next, event.callId, (call) => ({
        ...call,
        progress: {
          progress,
          ...defined({ total, text, waitsFor }),
        },
      }));
    }

    case 'tool_finished':
      return changeCall(next, event.callId, (call) => ({
        ...call,
        result: event.result,
        editedArguments: event.message.editedArguments ?? call.editedArguments,
        durationMs: event.durationMs,
        interrupt: null,
        asksNext: [],
        progress: null,
      }));

    case 'run_parked':
      return { ...next, run: { ...run, status: 'parked' } };

    case 'run_resumed':
      return { ...next, run: { ...run, status: 'running' } };

    case 'notice': {
      // The answer itself shows it, also after a reload.
      if (event.code === 'answer_cut' || event.code === 'text_not_called') return next;
      const key = `${event.runId}:${String(event.seq)}`;
      if (transcript.tail.some((row) => row.key === key)) return next;
      const row: TranscriptRow = {
        kind: 'notice',
        key,
        level: event.level,
        text: event.text,
        template: event.templates?.['text'],
      };
      return { ...next, tail: markAnswers(beforePlaceholder(transcript.tail, row)) };
    }

    case 'run_finished':
      return { ...next, run: { ...run, status: event.status }, tail: markAnswers(finishRun(transcript.tail, event)) };

    default:
      ignoreUnknownEvent(event);
      return next;
  }
}

/** A message of the user that steers the current run. */
function steeringRow(message: UserMessage): TranscriptRow {
  return { kind: 'user', key: message.id, message, alternatives: [], sending: false };
}

/** After a reload the row may exist already: stored messages can be ahead of events. */
function addOnce(tail: readonly TranscriptRow[], row: TranscriptRow): readonly TranscriptRow[] {
  const exists = tail.some(({ key }) => key === row.key);
  return exists ? tail.map((other) => (other.key === row.key ? row : other)) : beforePlaceholder(tail, row);
}

type EventOf<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;

function startMessage(tail: readonly TranscriptRow[], event: EventOf<'message_started'>): readonly TranscriptRow[] {
  const known = tail.find((row) => row.kind === 'assistant' && row.messageId === event.messageId);
  if (known?.kind === 'assistant' && !isOpenRow(known)) return tail;
  // The placeholder of the answer becomes its row and keeps its position.
  const placeholder = known ?? tail.find((row) => row.kind === 'assistant' && row.status === 'pending');
  const row: AssistantRow = {
    kind: 'assistant',
    key: placeholder?.key ?? event.messageId,
    messageId: event.messageId,
    parentId: event.parentId,
    runId: event.runId,
    model: event.model,
    ...defined({ agent: event.agent }),
    createdAt: event.at,
    blocks: [],
    status: 'writing',
    finishReason: 'pending',
    usage: null,
    cost: null,
    alternatives: placeholder?.kind === 'assistant' ? placeholder.alternatives : [],
    head: false,
    answer: null,
  };
  return placeholder === undefined ? [...tail, row] : tail.map((other) => (other === placeholder ? row : other));
}

function finishMessage(
  tail: readonly TranscriptRow[],
  message: AssistantMessage,
  at: number,
): readonly TranscriptRow[] {
  const index = tail.findLastIndex((row) => row.kind === 'assistant' && row.messageId === message.id);
  const row = tail[index];
  // Answers of members and decisions of a group without supervisor arrive as a whole, before the answer that may have begun.
  if (row === undefined) return beforePlaceholder(tail, wholeRow(message));
  if (row?.kind !== 'assistant' || !isOpenRow(row)) return tail;
  const finished: AssistantRow = {
    ...row,
    parentId: message.parentId,
    model: message.model,
    createdAt: message.createdAt,
    blocks: toBlocks(message, closed(row.blocks, at)),
    status: getStatus(message),
    finishReason: message.finishReason,
    ...defined({ unmadeCalls: message.unmadeCalls }),
    usage: message.usage ?? null,
    cost: message.cost ?? null,
  };
  return tail.with(index, finished);
}

function abandon(tail: readonly TranscriptRow[], event: EventOf<'attempt_abandoned'>): readonly TranscriptRow[] {
  return tail.map((row) => {
    if (row.kind !== 'assistant' || row.messageId !== event.messageId || row.status === 'abandoned') return row;
    // A call whose arguments were still streaming was never executed.
    const blocks = closed(row.blocks, event.at).filter((block) => block.type !== 'call');
    return { ...row, blocks, status: 'abandoned', finishReason: 'abandoned' };
  });
}

function finishRun(tail: readonly TranscriptRow[], event: EventOf<'run_finished'>): readonly TranscriptRow[] {
  const rows: TranscriptRow[] = [];
  for (const row of tail) {
    if (row.kind === 'budget') continue;
    if (row.kind !== 'assistant') rows.push(row);
    else if (!isPlaceholder(row)) rows.push(settleRow(row, event));
  }
  return withOutcome(rows, event);
}

function settleRow(row: AssistantRow, event: EventOf<'run_finished'>): AssistantRow {
  const blocks = mapBlocks(closed(row.blocks, event.at), (block) => {
    if (block.type !== 'call' || block.call.over) return block;
    return { ...block, call: { ...block.call, over: true, interrupt: null, asksNext: [], progress: null } };
  });
  if (!isOpenRow(row)) return blocks === row.blocks ? row : { ...row, blocks };
  return { ...row, blocks, status: 'finished', finishReason: event.status === 'cancelled' ? 'cancelled' : 'error' };
}

/** Before the placeholder of an answer, so that the answer stays last. */
function beforePlaceholder(tail: readonly TranscriptRow[], row: TranscriptRow): readonly TranscriptRow[] {
  const last = tail.at(-1);
  if (last?.kind !== 'assistant' || last.status !== 'pending') return [...tail, row];
  return [...tail.slice(0, -1), row, last];
}

function withBudget(tail: readonly TranscriptRow[], interrupt: BudgetInterrupt): readonly TranscriptRow[] {
  return markAnswers([...tail, { kind: 'budget', key: interrupt.id, interrupt }]);
}

function withoutBudget(tail: readonly TranscriptRow[], interruptId: string): readonly TranscriptRow[] {
  return tail.some(({ key }) => key === interruptId) ? tail.filter(({ key }) => key !== interruptId) : tail;
}

/** Updates the streaming message; a complete one stays as it is. */
function changeWriting(
  transcript: Transcript,
  messageId: string,
  change: (blocks: readonly RowBlock[]) => readonly RowBlock[],
): Transcript {
  const index = transcript.tail.findLastIndex((row) => row.kind === 'assistant' && row.messageId === messageId);
  const row = transcript.tail[index];
  if (row?.kind !== 'assistant' || row.status !== 'writing') return transcript;
  return { ...transcript, tail: transcript.tail.with(index, { ...row, blocks: change(row.blocks) }) };
}

/** Updates a call of the run; searches from the newest message, which nearly always contains it. */
function changeCall(transcript: Transcript, callId: string, change: (call: CallView) => CallView): Transcript {
  for (let index = transcript.tail.length - 1; index >= 0; index -= 1) {
    const row = transcript.tail[index];
    if (row?.kind !== 'assistant') continue;
    const blocks = withCall(row.blocks, callId, change);
    if (blocks !== row.blocks) return { ...transcript, tail: transcript.tail.with(index, { ...row, blocks }) };
  }
  return transcript;
}

function addText(blocks: readonly RowBlock[], event: EventOf<'text_delta'>): readonly RowBlock[] {
  const last = blocks.at(-1);
  if (last?.type === 'text') return blocks.with(-1, { ...last, text: last.text + event.text, open: true });
  return [...closed(blocks, event.at), { type: 'text', text: event.text, open: true }];
}

function addReasoning(blocks: readonly RowBlock[], event: EventOf<'reasoning_delta'>): readonly RowBlock[] {
  const last = blocks.at(-1);
  if (last?.type === 'reasoning') return blocks.with(-1, { ...last, text: last.text + event.text, open: true });
  const block: RowBlock = { type: 'reasoning', text: event.text, open: true, startedAt: event.at, durationMs: null };
  return [...closed(blocks, event.at), block];
}

/** Closes the open block: another one begins. */
function closed(blocks: readonly RowBlock[], at: number): readonly RowBlock[] {
  return mapBlocks(blocks, (block) => {
    if (block.type === 'text' && block.open) return { ...block, open: false };
    if (block.type === 'reasoning' && block.open) {
      return { ...block, open: false, durationMs: block.startedAt === null ? null : at - block.startedAt };
    }
    return block;
  });
}

function mapBlocks(blocks: readonly RowBlock[], change: (block: RowBlock) => RowBlock): readonly RowBlock[] {
  const mapped = blocks.map(change);
  return mapped.every((block, index) => block === blocks[index]) ? blocks : mapped;
}

function findCall(blocks: readonly RowBlock[], callId: string): CallView | undefined {
  for (const block of blocks) if (block.type === 'call' && block.call.callId === callId) return block.call;
  return undefined;
}

function withCall(
  blocks: readonly RowBlock[],
  callId: string,
  change: (call: CallView) => CallView,
): readonly RowBlock[] {
  return mapBlocks(blocks, (block) => {
    if (block.type !== 'call' || block.call.callId !== callId) return block;
    const call = change(block.call);
    return call === block.call ? block : { type: 'call', call };
  });
}

function putCall(blocks: readonly RowBlock[], call: CallView): readonly RowBlock[] {
  if (findCall(blocks, call.callId) === undefined) return [...blocks, { type: 'call', call }];
  return withCall(blocks, call.callId, () => call);
}

function askedCall(tail: readonly TranscriptRow[], interruptId: Interrupt['id']): string | null {
  for (const row of tail) {
    if (row.kind !== 'assistant') continue;
    for (const block of row.blocks) {
      if (block.type !== 'call') continue;
      const { callId, interrupt, asksNext } = block.call;
      if (interrupt?.id === interruptId || asksNext.some(({ id }) => id === interruptId)) return callId;
    }
  }
  return null;
}
