import type { RunnableCall } from '@toolyard/agent-runtime';
import type {
  Budget,
  ErrorInfo,
  JsonValue,
  Message,
  Owner,
  RunRecord,
  StoredInterrupt,
  ToolCallPart,
} from '@toolyard/protocol';
import { createErrorInfo, canonicalJson, defined, formatToolReference, say } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';
import { allInterrupts } from './all-interrupts.ts';
import { createForbiddenWriteError } from '../tab/check-tab-commit.ts';

/** A call of a run in a tab as the run has stored it, with what the user has decided about it. */
export type StoredToolCall = {
  call: RunnableCall;
  /** The id of its row: its own, or that of the question which the user answered with "repeat". */
  rowId: string;
  row: Pick<StoredRow, 'runId' | 'callId' | 'conversationId' | 'tool' | 'arguments' | 'definition'>;
  /** Budgets that the user raised for the run. */
  raised: Budget[];
};

type StoredRow = Parameters<SharedStorage['tabs']['startCall']>[1];

/** The call in a stored answer of the run. */
export async function storedCallPart(
  messages: Pick<SharedStorage['messages'], 'get'>,
  principal: Owner,
  run: Pick<RunRecord, 'id' | 'conversationId'>,
  callId: string,
): Promise<ToolCallPart | undefined> {
  const message = await messages.get(principal, run.conversationId, messageIdOfCall(callId));
  return message ? callPartIn(message, run, callId) : undefined;
}

export function messageIdOfCall(callId: string): string {
  return callId.slice(0, callId.lastIndexOf('.'));
}

/** The call in an answer of the run. */
export function callPartIn(message: Message, run: Pick<RunRecord, 'id'>, callId: string): ToolCallPart | undefined {
  const parts = message.role === 'assistant' && message.runId === run.id ? message.parts : [];
  return parts.find((part) => part.type === 'tool_call' && part.callId === callId) as ToolCallPart | undefined;
}

/**
 * Reads a call that a tab wants to be made: an answer of the run contains it, its ledger says that it is sent, and other
 * arguments than those of the model are the user's. What is approved is read from the stored answers of the user alone.
 *
 * @throws ToolyardError `bad_request` for any other call
 */
export async function readStoredToolCall(
  { messages, runs, tabs }: Pick<SharedStorage, 'messages' | 'runs' | 'tabs'>,
  principal: Owner,
  run: RunRecord,
  callId: string,
): Promise<StoredToolCall> {
  const part = await storedCallPart(messages, principal, run, callId);
  const entry = ((await runs.readLedger(principal, run.id)) ?? []).find((each) => each.callId === callId);
  if (!part?.tool || part.problem) throw createForbiddenWriteError(`the call ${callId}, which no message contains`);
  if (entry?.status !== 'sent')
    throw createForbiddenWriteError(`the call ${callId}, which the run has not stored as sent`);
  const { tool, name } = part;
  // What is asked about a tool of a tab is the text of the tab: such an approval allows no tool of the server.
  if (tool.origin === 'tab') throw createForbiddenWriteError(`the call ${callId} of a tool of a tab`);
  const { arguments: args } = entry;
  if (formatToolReference(entry.tool) !== formatToolReference(tool))
    throw createForbiddenWriteError(`another tool than ${callId}`);
  const answered: StoredInterrupt[] = [];
  for await (const each of allInterrupts(runs, principal, { runId: run.id, status: 'answered' })) answered.push(each);
  const approval = answered.findLast(({ interrupt }) => interrupt.kind === 'approval' && interrupt.callId === callId);
  const approved = approval && approvedBy(approval, tool);
  const isApproved = approved !== undefined && isSameJson(approved.arguments, args);
  const isEdited = !isSameJson(part.arguments, args);
  if (isEdited && !isApproved) throw createForbiddenWriteError(`other arguments than those of the call ${callId}`);
  const repeats = answered.findLast(
    ({ interrupt, answer }) =>
      interrupt.kind === 'in_doubt' && interrupt.callId === callId && answer?.decision === 'repeat',
  );
  // A call that was made had been allowed; the user has seen its arguments again.
  const first = repeats && (await tabs.getCall(principal, { runId: run.id, callId }));
  const repeatedBy = first && isSameJson(first.arguments, args) ? repeats?.id : undefined;
  const rowId = repeatedBy ?? callId;
  const { danger, definition } = approved ?? {};
  const call: RunnableCall = {
    callId,
    name,
    tool,
    arguments: args,
    ...(approval?.answer?.decision === 'refuse' ? { decision: 'refused', refusal: DENIED } : { decision: 'undecided' }),
    ...(part.isText ? { textCall: {} } : {}),
    ...(isApproved || repeatedBy !== undefined ? { approved: true, about: defined({ definition }) } : {}),
    ...(isEdited ? { edited: defined({ danger }) } : {}),
  };
  const { id: runId, conversationId } = run;
  const row = { runId, callId: rowId, conversationId, tool, arguments: args, definition: definition ?? '' };
  return { call, rowId, row, raised: answered.flatMap(raisedBy) };
}

const DENIED: ErrorInfo = createErrorInfo({
  code: 'tool_refused',
  message: say`The user denied this call. Do not retry it unless the user asks for it.`,
});

/** What the user approved: the arguments with their edits, and what was shown with them. */
function approvedBy(
  { interrupt, answer }: StoredInterrupt,
  tool: RunnableCall['tool'],
): { arguments: RunnableCall['arguments']; danger?: string; definition?: string } | undefined {
  if (interrupt.kind !== 'approval' || answer?.decision !== 'approve') return undefined;
  const isOfTool = formatToolReference(interrupt.tool) === formatToolReference(tool);
  if (!isOfTool || interrupt.tool.origin === 'tab') return undefined;
  const { danger, definition } = interrupt;
  return { arguments: answer.arguments ?? interrupt.arguments, ...defined({ danger, definition }) };
}

function raisedBy({ interrupt, answer }: StoredInterrupt): Budget[] {
  if (interrupt.kind !== 'budget' || answer?.decision !== 'raise') return [];
  return [{ ...interrupt.budget, [interrupt.measure]: answer.limit }];
}

export function isSameJson(one: JsonValue, other: JsonValue): boolean {
  return canonicalJson(one) === canonicalJson(other);
}
