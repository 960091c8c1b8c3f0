import type { AssistantMessage, BudgetInterrupt, Interrupt, RunEvent, UserMessage } from '@toolyard/protocol';
import { defined, ignoreUnknownEvent } from '@toolyard/protocol';
import { blocksOf, foldRow, statusOf } from './build-rows.ts';
import { asked, malformedCall, readyCall, settled, startedCall } from './calls.ts';
import type { CallView } from './calls.ts';
import { markAnswers } from './mark-answers.ts';
import type { AssistantRow, Block, Row } from './rows.ts';
import { isAwaited, isOpenRow } from './rows.ts';
import { beginRun, isOldNews } from './transcript.ts';
import type { Transcript } from './transcript.ts';

/**
 * The transcript after an event. Pure; an event of another conversation, or one that was applied before, changes
 * nothing and gives back the very same transcript.
 */
export function applyRunEvent(transcript: Transcript, event: RunEvent): Transcript {
  if (event.runId !== transcript.run?.id) {
    if (event.type !== 'run_started' || event.conversationId !== transcript.conversationId) return transcript;
    if (isOldNews(transcript, { id: event.runId, startedAt: event.at })) return transcript;
    const begun = beginRun(transcript, { id: event.runId, status: 'running', at: event.at }, event.message);
    return applyRunEvent(begun, event);
  }
  if (event.seq <= transcript.run.seq) return transcript;
  const run = { ...transcript.run, seq: event.seq };
  const next = { ...transcript, run };
  switch (event.type) {
    case 'run_started':
      return {
        ...beginRun(transcript, { id: event.runId, status: 'running', at: event.at }, event.message),
        run: { ...run, status: run.status === 'queued' ? 'running' : run.status },
      };

    case 'step_started':
      return run.status === 'queued' ? { ...next, run: { ...run, status: 'running' } } : next;

    case 'steered':
      return { ...next, tail: markAnswers(tellOnce(transcript.tail, saidRow(event.message))) };

    case 'request_made':
      return { ...next, fill: event.request.fill };

    case 'compression_started':
      return next;

    case 'compression_finished':
      return { ...next, tail: markAnswers(tellOnce(transcript.tail, foldRow(event.message))) };

    case 'compression_failed':
      return {
        ...next,
        tail: markAnswers(
          beforeAwaited(transcript.tail, {
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
      return changeCall(next, interrupt.callId, (call) => (call.result === null ? asked(call, interrupt) : call));
    }

    case 'interrupt_answered': {
      const callId = askedCall(transcript.tail, event.interruptId);
      if (callId === null) return { ...next, tail: withoutBudget(next.tail, event.interruptId) };
      return changeCall(next, callId, (call) => ({ ...settled(call, event.interruptId), answer: event.answer }));
    }

    case 'interrupt_withdrawn': {
      const callId = askedCall(transcript.tail, event.interruptId);
      if (callId === null) return { ...next, tail: withoutBudget(next.tail, event.interruptId) };
      return changeCall(next, callId, (call) => settled(call, event.interruptId));
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
      // The cut answer itself tells of it, also when it is read again later.
      if (event.code === 'answer_cut') return next;
      const key = `${event.runId}:${String(event.seq)}`;
      if (transcript.tail.some((row) => row.key === key)) return next;
      const row: Row = { kind: 'notice', key, level: event.level, text: event.text };
      return { ...next, tail: markAnswers(beforeAwaited(transcript.tail, row)) };
    }

    case 'run_finished':
      return { ...next, run: { ...run, status: event.status }, tail: markAnswers(finishRun(transcript.tail, event)) };

    default:
      ignoreUnknownEvent(event);
      return next;
  }
}

/** What the person said to a run under way. */
function saidRow(message: UserMessage): Row {
  return { kind: 'user', key: message.id, message, alternatives: [], sending: false };
}

/** Loaded anew in the meantime the row may be there already: what is stored runs ahead of what is told. */
function tellOnce(tail: readonly Row[], row: Row): readonly Row[] {
  const isThere = tail.some(({ key }) => key === row.key);
  return isThere ? tail.map((other) => (other.key === row.key ? row : other)) : beforeAwaited(tail, row);
}

type EventOf<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;

function startMessage(tail: readonly Row[], event: EventOf<'message_started'>): readonly Row[] {
  const known = tail.find((row) => row.kind === 'assistant' && row.messageId === event.messageId);
  if (known?.kind === 'assistant' && !isOpenRow(known)) return tail;
  // The row that stood for the answer until now becomes it, and keeps its place in the page.
  const awaited = known ?? tail.find((row) => row.kind === 'assistant' && row.status === 'pending');
  const row: AssistantRow = {
    kind: 'assistant',
    key: awaited?.key ?? event.messageId,
    messageId: event.messageId,
    parentId: event.parentId,
    runId: event.runId,
    model: event.model,
    createdAt: event.at,
    blocks: [],
    status: 'writing',
    finishReason: 'pending',
    usage: null,
    cost: null,
    alternatives: awaited?.kind === 'assistant' ? awaited.alternatives : [],
    head: false,
    answer: null,
  };
  return awaited === undefined ? [...tail, row] : tail.map((other) => (other === awaited ? row : other));
}

function finishMessage(tail: readonly Row[], message: AssistantMessage, at: number): readonly Row[] {
  const index = tail.findLastIndex((row) => row.kind === 'assistant' && row.messageId === message.id);
  const row = tail[index];
  if (row?.kind !== 'assistant' || !isOpenRow(row)) return tail;
  const finished: AssistantRow = {
    ...row,
    parentId: message.parentId,
    model: message.model,
    createdAt: message.createdAt,
    blocks: blocksOf(message, closed(row.blocks, at)),
    status: statusOf(message),
    finishReason: message.finishReason,
    usage: message.usage ?? null,
    cost: message.cost ?? null,
  };
  return tail.with(index, finished);
}

function abandon(tail: readonly Row[], event: EventOf<'attempt_abandoned'>): readonly Row[] {
  return tail.map((row) => {
    if (row.kind !== 'assistant' || row.messageId !== event.messageId || row.status === 'abandoned') return row;
    // A call that was only being written was never made.
    const blocks = closed(row.blocks, event.at).filter((block) => block.type !== 'call');
    return { ...row, blocks, status: 'abandoned', finishReason: 'abandoned' };
  });
}

function finishRun(tail: readonly Row[], event: EventOf<'run_finished'>): readonly Row[] {
  const rows: Row[] = [];
  for (const row of tail) {
    if (row.kind === 'budget') continue;
    if (row.kind !== 'assistant') rows.push(row);
    else if (!isAwaited(row)) rows.push(settleRow(row, event));
  }
  const last = rows.findLast((row) => row.kind === 'assistant');
  const key = `${event.runId}:end`;
  const { error } = event;
  if (event.status === 'failed' && error !== undefined) {
    const told = last?.blocks.some((block) => block.type === 'error' && block.error.code === error.code) === true;
    if (!told) rows.push({ kind: 'outcome', key, outcome: { type: 'failed', error } });
  } else if (event.status === 'cancelled' && last === undefined) {
    rows.push({ kind: 'outcome', key, outcome: { type: 'cancelled' } });
  }
  return rows;
}

function settleRow(row: AssistantRow, event: EventOf<'run_finished'>): AssistantRow {
  const blocks = mapBlocks(closed(row.blocks, event.at), (block) => {
    if (block.type !== 'call' || block.call.over) return block;
    return { ...block, call: { ...block.call, over: true, interrupt: null, asksNext: [], progress: null } };
  });
  if (!isOpenRow(row)) return blocks === row.blocks ? row : { ...row, blocks };
  return { ...row, blocks, status: 'finished', finishReason: event.status === 'cancelled' ? 'cancelled' : 'error' };
}

/** Before the row of an answer nothing has come of, so that the answer stays the last. */
function beforeAwaited(tail: readonly Row[], row: Row): readonly Row[] {
  const last = tail.at(-1);
  if (last?.kind !== 'assistant' || last.status !== 'pending') return [...tail, row];
  return [...tail.slice(0, -1), row, last];
}

function withBudget(tail: readonly Row[], interrupt: BudgetInterrupt): readonly Row[] {
  return markAnswers([...tail, { kind: 'budget', key: interrupt.id, interrupt }]);
}

function withoutBudget(tail: readonly Row[], interruptId: string): readonly Row[] {
  return tail.some(({ key }) => key === interruptId) ? tail.filter(({ key }) => key !== interruptId) : tail;
}

/** Changes the message that is being written; one that is known as a whole stays as it is. */
function changeWriting(
  transcript: Transcript,
  messageId: string,
  change: (blocks: readonly Block[]) => readonly Block[],
): Transcript {
  const index = transcript.tail.findLastIndex((row) => row.kind === 'assistant' && row.messageId === messageId);
  const row = transcript.tail[index];
  if (row?.kind !== 'assistant' || row.status !== 'writing') return transcript;
  return { ...transcript, tail: transcript.tail.with(index, { ...row, blocks: change(row.blocks) }) };
}

/** Changes a call of the run; the newest message comes first, for calls belong to it nearly always. */
function changeCall(transcript: Transcript, callId: string, change: (call: CallView) => CallView): Transcript {
  for (let index = transcript.tail.length - 1; index >= 0; index -= 1) {
    const row = transcript.tail[index];
    if (row?.kind !== 'assistant') continue;
    const blocks = withCall(row.blocks, callId, change);
    if (blocks !== row.blocks) return { ...transcript, tail: transcript.tail.with(index, { ...row, blocks }) };
  }
  return transcript;
}

function addText(blocks: readonly Block[], event: EventOf<'text_delta'>): readonly Block[] {
  const last = blocks.at(-1);
  if (last?.type === 'text') return blocks.with(-1, { ...last, text: last.text + event.text, open: true });
  return [...closed(blocks, event.at), { type: 'text', text: event.text, open: true }];
}

function addReasoning(blocks: readonly Block[], event: EventOf<'reasoning_delta'>): readonly Block[] {
  const last = blocks.at(-1);
  if (last?.type === 'reasoning') return blocks.with(-1, { ...last, text: last.text + event.text, open: true });
  const block: Block = { type: 'reasoning', text: event.text, open: true, startedAt: event.at, durationMs: null };
  return [...closed(blocks, event.at), block];
}

/** What was being written is written: something else begins. */
function closed(blocks: readonly Block[], at: number): readonly Block[] {
  return mapBlocks(blocks, (block) => {
    if (block.type === 'text' && block.open) return { ...block, open: false };
    if (block.type === 'reasoning' && block.open) {
      return { ...block, open: false, durationMs: block.startedAt === null ? null : at - block.startedAt };
    }
    return block;
  });
}

function mapBlocks(blocks: readonly Block[], change: (block: Block) => Block): readonly Block[] {
  const mapped = blocks.map(change);
  return mapped.every((block, index) => block === blocks[index]) ? blocks : mapped;
}

function findCall(blocks: readonly Block[], callId: string): CallView | undefined {
  for (const block of blocks) if (block.type === 'call' && block.call.callId === callId) return block.call;
  return undefined;
}

function withCall(blocks: readonly Block[], callId: string, change: (call: CallView) => CallView): readonly Block[] {
  return mapBlocks(blocks, (block) => {
    if (block.type !== 'call' || block.call.callId !== callId) return block;
    const call = change(block.call);
    return call === block.call ? block : { type: 'call', call };
  });
}

function putCall(blocks: readonly Block[], call: CallView): readonly Block[] {
  if (findCall(blocks, call.callId) === undefined) return [...blocks, { type: 'call', call }];
  return withCall(blocks, call.callId, () => call);
}

function askedCall(tail: readonly Row[], interruptId: Interrupt['id']): string | null {
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
