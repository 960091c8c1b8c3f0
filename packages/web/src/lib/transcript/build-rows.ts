import type {
  AssistantMessage,
  CallInterrupt,
  Message,
  StoredInterrupt,
  SystemMessage,
  ToolMessage,
} from '@toolyard/protocol';
import { defined, textOf } from '@toolyard/protocol';
import { malformedCall, readyCall } from './calls.ts';
import type { CallView } from './calls.ts';
import type { AssistantRow, RowBlock, TranscriptRow } from './rows.ts';

/** Part of a branch with related data, as returned by the server. */
export type BranchPage = {
  messages: readonly Message[];
  alternatives: Readonly<Record<string, readonly string[]>>;
  abandoned: readonly AssistantMessage[];
  /** Tool results from other pages. */
  results?: ReadonlyMap<string, ToolMessage>;
  interrupts?: readonly StoredInterrupt[];
  /** The active run: its calls without a result may still get one. */
  activeRunId?: string | undefined;
};

/** The rows of stored messages. First and last rows of answers are marked by {@link markAnswers}. */
export function buildRows(page: BranchPage): TranscriptRow[] {
  const results = new Map<string, ToolMessage>(page.results);
  for (const message of page.messages) {
    if (message.role === 'tool') results.set(message.parts[0].callId, message);
  }
  const interrupts = new Map<string, CallInterrupt[]>();
  for (const { status, interrupt } of page.interrupts ?? []) {
    if (status !== 'open' || interrupt.kind === 'budget') continue;
    interrupts.set(interrupt.callId, [...(interrupts.get(interrupt.callId) ?? []), interrupt]);
  }
  const abandoned = new Map<string | null, AssistantMessage[]>();
  for (const message of page.abandoned) {
    abandoned.set(message.parentId, [...(abandoned.get(message.parentId) ?? []), message]);
  }
  const withResult = (call: CallView, runId: string): CallView => {
    const [interrupt = null, ...asksNext] = interrupts.get(call.callId) ?? [];
    const answer = results.get(call.callId);
    const result = answer?.parts[0].result ?? null;
    const editedArguments = answer?.editedArguments ?? null;
    return { ...call, editedArguments, result, interrupt, asksNext, over: runId !== page.activeRunId };
  };

  const active = page.activeRunId;
  const rows: TranscriptRow[] = [];
  const addAbandoned = (parentId: string | null): void => {
    for (const message of abandoned.get(parentId) ?? []) rows.push(assistantRow(message, [], withResult, active));
    abandoned.delete(parentId);
  };
  for (const message of page.messages) {
    addAbandoned(message.parentId);
    const alternatives = page.alternatives[message.id] ?? [];
    if (message.role === 'user') rows.push({ kind: 'user', key: message.id, message, alternatives, sending: false });
    if (message.role === 'system' && message.compaction) rows.push(compactionRow(message));
    if (message.role === 'assistant') rows.push(assistantRow(message, alternatives, withResult, active));
  }
  // Started after the last message and not restarted yet.
  for (const parentId of abandoned.keys()) {
    if (page.messages.some((message) => message.id === parentId)) addAbandoned(parentId);
  }
  for (const { status, interrupt } of page.interrupts ?? []) {
    if (status === 'open' && interrupt.kind === 'budget') rows.push({ kind: 'budget', key: interrupt.id, interrupt });
  }
  return rows;
}

/** Position of a compaction. */
export function compactionRow(message: SystemMessage): TranscriptRow {
  return {
    kind: 'compaction',
    key: message.id,
    messageId: message.id,
    text: textOf(message),
    messages: message.compaction?.messages ?? 0,
  };
}

/** A message of a run in progress that arrives as a whole. */
export function wholeRow(message: AssistantMessage): AssistantRow {
  return assistantRow(message, [], (call) => call, undefined);
}

function assistantRow(
  message: AssistantMessage,
  alternatives: readonly string[],
  withResult: (call: CallView, runId: string) => CallView,
  activeRunId: string | undefined,
): AssistantRow {
  const blocks = toBlocks(message, []).map((block) =>
    block.type === 'call' ? { type: 'call' as const, call: withResult(block.call, message.runId) } : block,
  );
  return {
    kind: 'assistant',
    key: message.id,
    messageId: message.id,
    parentId: message.parentId,
    runId: message.runId,
    model: message.model,
    ...defined({ agent: message.agent, member: message.member }),
    createdAt: message.createdAt,
    blocks,
    // The run has ended: nothing streams any more.
    status: message.finishReason === 'pending' && message.runId !== activeRunId ? 'finished' : getStatus(message),
    finishReason: message.finishReason,
    ...defined({ unmadeCalls: message.unmadeCalls }),
    usage: message.usage ?? null,
    cost: message.cost ?? null,
    alternatives,
    head: false,
    answer: null,
  };
}

export function getStatus(message: AssistantMessage): AssistantRow['status'] {
  if (message.finishReason === 'pending') return 'pending';
  return message.finishReason === 'abandoned' ? 'abandoned' : 'finished';
}

/** The blocks of a complete message; equal blocks of `before` keep their objects and durations. */
export function toBlocks(message: AssistantMessage, before: readonly RowBlock[]): RowBlock[] {
  const calls = new Map<string, CallView>();
  for (const block of before) if (block.type === 'call') calls.set(block.call.callId, block.call);
  const reasonings = before.filter((block) => block.type === 'reasoning').values();
  const texts = new Map<string, RowBlock>();
  for (const block of before) if (block.type === 'text' && !block.open) texts.set(block.text, block);

  const blocks: RowBlock[] = [];
  const citations: Extract<RowBlock, { type: 'citations' }>['citations'][number][] = [];
  for (const part of message.parts) {
    switch (part.type) {
      case 'text':
        blocks.push(texts.get(part.text) ?? { type: 'text', text: part.text, open: false });
        break;
      case 'reasoning': {
        // Only a signature for the provider, without text.
        if (part.text === '') break;
        const seen = reasonings.next().value;
        blocks.push({
          type: 'reasoning',
          text: part.text,
          open: false,
          startedAt: seen?.startedAt ?? null,
          durationMs: seen?.durationMs ?? null,
        });
        break;
      }
      case 'tool_call':
        blocks.push({ type: 'call', call: readyCall(part, calls.get(part.callId)) });
        break;
      case 'malformed_tool_call':
        blocks.push({ type: 'call', call: malformedCall(part, calls.get(part.callId)) });
        break;
      case 'image':
        blocks.push({ type: 'image', image: part });
        break;
      case 'citation':
        citations.push(part);
        break;
      case 'error':
        blocks.push({ type: 'error', error: part.error });
        break;
    }
  }
  if (citations.length > 0) blocks.push({ type: 'citations', citations });
  return blocks;
}
