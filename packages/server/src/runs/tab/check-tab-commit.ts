import { createHash } from 'node:crypto';
import { STATE_SCHEMA_VERSION } from '@toolyard/agent-runtime';
import type {
  CommitFromTab,
  JsonValue,
  Message,
  RunEvent,
  RunEventBody,
  RunRecord,
  UserMessage,
  UserPart,
  ToolyardError,
} from '@toolyard/protocol';
import { canonicalJson, isJsonObject } from '@toolyard/protocol';
import { createInvalidError } from '../../errors.ts';

/** Statuses that a tab may set; others would make a server resume the run. */
const STATUSES: readonly CommitFromTab['status'][] = [undefined, 'running', 'parked', 'done', 'failed', 'cancelled'];

/**
 * Validates a commit of a tab. A tab writes only to its own run: ids not derived from the run's id, or references to
 * another run, reject the whole commit. The store checks sequence gaps, fences and ledger transitions.
 *
 * @throws ToolyardError `bad_request` that says what is wrong
 */
export function checkTabCommit(run: RunRecord, commit: CommitFromTab): void {
  const own = (id: string): boolean => id.startsWith(`${run.id}.`);
  const steering = new Map(steeringMessages(commit).map((message) => [message.id, textOfMessage(message)]));
  for (const event of commit.events) checkEvent(run, event, own);
  for (const { conversationId, message } of commit.messages ?? []) {
    if (conversationId !== run.conversationId) throw createForbiddenWriteError('a message of another conversation');
    if (steering.get(message.id) !== textOfMessage(message)) checkMessage(run, message, own);
  }
  if (commit.leaf && !own(commit.leaf.to) && !steering.has(commit.leaf.to))
    throw createForbiddenWriteError('a leaf that is not a message of this run');
  for (const { id, prelude } of commit.preludes ?? []) {
    const named = createHash('sha256').update(canonicalJson(prelude)).digest('hex');
    if (named !== id) throw createForbiddenWriteError(`model inputs under the name ${id}, which is not their hash`);
  }
  for (const { callId } of commit.ledger ?? []) if (!own(callId)) throw createForbiddenWriteError(`the call ${callId}`);
  for (const { interrupt } of commit.interrupts?.opened ?? []) {
    if (!own(interrupt.id)) throw createForbiddenWriteError(`the interrupt ${interrupt.id}`);
  }
  // Users answer through the API: an answer from here could raise a budget or approve a call without the user.
  if (commit.interrupts?.answered?.length) throw createForbiddenWriteError('an answer to an interrupt');
  for (const id of commit.interrupts?.withdrawn ?? [])
    if (!own(id)) throw createForbiddenWriteError(`the interrupt ${id}`);
  if (!STATUSES.includes(commit.status)) throw createForbiddenWriteError(`the status ${commit.status}`);
  if (commit.state !== undefined) checkState(run, commit);
  if (commit.status !== undefined && commit.status !== 'running' && commit.state === undefined) {
    throw createForbiddenWriteError('a parked or ended run without its state');
  }
}

type FieldOf<Body> = Body extends unknown ? keyof Body : never;
type IdField = Extract<FieldOf<RunEventBody>, `${string}Id`>;

/** The ids in events that must be of the run, with what they identify. An event with another kind of id fails to compile. */
const OWN_IDS: Readonly<Record<Exclude<IdField, 'conversationId' | 'parentId'>, string>> = {
  messageId: 'message',
  callId: 'call',
  interruptId: 'interrupt',
};
const OWN_ID_FIELDS = new Map(Object.entries(OWN_IDS));

/** Checks an event by its fields, so that a new type of event is checked as well. */
function checkEvent(run: RunRecord, event: RunEvent, own: (id: string) => boolean): void {
  if (event.runId !== run.id) throw createForbiddenWriteError(`an event of run ${event.runId}`);
  if (event.type === 'run_started') {
    if (event.conversationId === run.conversationId && event.place === 'browser' && event.seq === 1) return;
    throw createForbiddenWriteError('the start of the run');
  }
  for (const [field, id] of Object.entries(event)) {
    const what = OWN_ID_FIELDS.get(field);
    if (what !== undefined && id !== null && !own(String(id)))
      throw createForbiddenWriteError(`the ${what} ${String(id)}`);
  }
  if ('interrupt' in event && !own(event.interrupt.id))
    throw createForbiddenWriteError(`the interrupt ${event.interrupt.id}`);
  // Steering messages are compared later with those the user has sent to the run.
  if ('message' in event && event.type !== 'steered') checkMessage(run, event.message, own);
}

function checkMessage(run: RunRecord, message: Message, own: (id: string) => boolean): void {
  if (!own(message.id)) throw createForbiddenWriteError(`the message ${message.id}`);
  if (message.role === 'user' || (message.role === 'assistant' && message.runId !== run.id)) {
    throw createForbiddenWriteError(`the message ${message.id} of another author`);
  }
}

/** The steering messages that the run has received. */
export function steeringMessages({ events }: CommitFromTab): UserMessage[] {
  return events.flatMap((event) => (event.type === 'steered' ? [event.message] : []));
}

/**
 * A tab may only add messages that the user has sent to the run, unchanged.
 *
 * @throws ToolyardError `bad_request`
 */
export async function checkSteering(
  commit: CommitFromTab,
  isFromUser: (message: UserMessage) => Promise<boolean>,
): Promise<void> {
  for (const message of steeringMessages(commit))
    if (!(await isFromUser(message))) throw createForbiddenWriteError('a message that the user did not send');
}

/** True for equal parts in the same order. */
export function hasSameParts(one: readonly UserPart[], other: readonly UserPart[]): boolean {
  return canonicalJson(one as unknown as JsonValue) === canonicalJson(other as unknown as JsonValue);
}

/** The state contains its run and conversation ids; with others, the next process would continue another run. */
function checkState(run: RunRecord, { state, status }: CommitFromTab): void {
  const stored: unknown = state;
  const point = isObject(stored) ? stored['point'] : null;
  const at = isObject(point) ? point['state'] : null;
  if (!isObject(stored) || !isObject(point) || !isObject(at) || !isObject(point['context']))
    throw createForbiddenWriteError('its state');
  const { schemaVersion: version } = at;
  const isReadable = typeof version === 'number' && version >= 1 && version <= STATE_SCHEMA_VERSION;
  if (!isReadable || typeof stored['leafId'] !== 'string' || typeof stored['shownId'] !== 'string') {
    throw createForbiddenWriteError('a state that cannot be resumed');
  }
  if (at['runId'] !== run.id || at['conversationId'] !== run.conversationId)
    throw createForbiddenWriteError('the state of another run');
  const isOver = status === 'done' || status === 'failed' || status === 'cancelled';
  if (isOver && at['status'] !== status) throw createForbiddenWriteError('an end that its state does not contain');
}

/** Sha256 of the files that messages reference; only files of the owner are allowed. */
export function filesNamedBy({ events, messages = [] }: CommitFromTab): Set<string> {
  const inEvents = events.flatMap((event) => ('message' in event ? [event.message] : []));
  const parts = [...inEvents, ...messages.map(({ message }) => message)].flatMap((message) =>
    message.role === 'tool' ? message.parts.flatMap(({ result }) => result.content) : [...message.parts],
  );
  return new Set(
    parts.flatMap((part) => ('source' in part && part.source && 'blob' in part.source ? [part.source.blob] : [])),
  );
}

function textOfMessage(message: Message): string {
  return canonicalJson(message);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return isJsonObject(value);
}

/** The error for a write that a tab may not make. */
export function createForbiddenWriteError(what: string): ToolyardError {
  return createInvalidError(`A tab may write only to its own run, but this commit contains ${what}.`);
}
