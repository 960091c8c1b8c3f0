import { createHash } from 'node:crypto';
import { STATE_SCHEMA_VERSION } from '@toolyard/agent-runtime';
import type { CommitFromTab, JsonValue, Message, RunEvent, RunRecord, UserMessage, UserPart } from '@toolyard/protocol';
import { canonicalJson, ignoreUnknownEvent, isJsonObject, ToolyardError } from '@toolyard/protocol';

/** What a run in a tab may be said to be; the others mean that a server is to take it up. */
const STATUSES: readonly CommitFromTab['status'][] = [undefined, 'running', 'parked', 'done', 'failed', 'cancelled'];

/**
 * Looks over what a tab wants to write. A tab writes as its own run and as nothing else: whose ids are not made from
 * the run's, or that speaks of another one, is refused whole. Gaps, fences and moves of the ledger are the store's.
 *
 * @throws ToolyardError `bad_request` that says what is wrong
 */
export function checkTabCommit(run: RunRecord, commit: CommitFromTab): void {
  const own = (id: string): boolean => id.startsWith(`${run.id}.`);
  const heard = new Map(steeringMessages(commit).map((message) => [message.id, textOfMessage(message)]));
  for (const event of commit.events) checkEvent(run, event, own);
  for (const { conversationId, message } of commit.messages ?? []) {
    if (conversationId !== run.conversationId) throw forbiddenWrite('a message of another conversation');
    if (heard.get(message.id) !== textOfMessage(message)) checkMessage(run, message, own);
  }
  if (commit.leaf && !own(commit.leaf.to) && !heard.has(commit.leaf.to))
    throw forbiddenWrite('a leaf that is no message of this run');
  for (const { id, prelude } of commit.preludes ?? []) {
    const named = createHash('sha256').update(canonicalJson(prelude)).digest('hex');
    if (named !== id) throw forbiddenWrite(`what was sent under the name ${id}, which is not its own`);
  }
  for (const { callId } of commit.ledger ?? []) if (!own(callId)) throw forbiddenWrite(`the call ${callId}`);
  for (const { interrupt } of commit.interrupts?.opened ?? []) {
    if (!own(interrupt.id)) throw forbiddenWrite(`the question ${interrupt.id}`);
  }
  // A person answers at a door: an answer from here could raise a budget, or approve a call, that nobody was asked for.
  if (commit.interrupts?.answered?.length) throw forbiddenWrite('an answer to a question');
  for (const id of commit.interrupts?.withdrawn ?? []) if (!own(id)) throw forbiddenWrite(`the question ${id}`);
  if (!STATUSES.includes(commit.status)) throw forbiddenWrite(`the status ${commit.status}`);
  if (commit.state !== undefined) checkState(run, commit);
  if (commit.status !== undefined && commit.status !== 'running' && commit.state === undefined) {
    throw forbiddenWrite('a run that rests or ends without its state');
  }
}

function checkEvent(run: RunRecord, event: RunEvent, own: (id: string) => boolean): void {
  if (event.runId !== run.id) throw forbiddenWrite(`an event of run ${event.runId}`);
  switch (event.type) {
    case 'run_started':
      if (event.conversationId !== run.conversationId || event.place !== 'browser' || event.seq !== 1) {
        throw forbiddenWrite('how the run began');
      }
      return;
    case 'message_started':
    case 'request_made':
    case 'text_delta':
    case 'reasoning_delta':
    case 'tool_call_started':
    case 'tool_call_delta':
    case 'tool_call_ready':
    case 'tool_call_malformed':
    case 'attempt_abandoned':
      if (event.messageId !== null && !own(event.messageId)) throw forbiddenWrite(`the message ${event.messageId}`);
      return;
    case 'message_finished':
    case 'tool_finished':
    case 'compression_finished':
      return checkMessage(run, event.message, own);
    // Held against what the person has said to the run, where that is at hand.
    case 'steered':
      return;
    case 'tool_started':
    case 'tool_progress':
      if (!own(event.callId)) throw forbiddenWrite(`the call ${event.callId}`);
      return;
    case 'interrupt_requested':
      if (!own(event.interrupt.id)) throw forbiddenWrite(`the question ${event.interrupt.id}`);
      return;
    case 'interrupt_answered':
    case 'interrupt_withdrawn':
      if (!own(event.interruptId)) throw forbiddenWrite(`the question ${event.interruptId}`);
      return;
    case 'step_started':
    case 'run_parked':
    case 'run_resumed':
    case 'compression_started':
    case 'compression_failed':
    case 'notice':
    case 'run_finished':
      return;
    default:
      ignoreUnknownEvent(event);
  }
}

function checkMessage(run: RunRecord, message: Message, own: (id: string) => boolean): void {
  if (!own(message.id)) throw forbiddenWrite(`the message ${message.id}`);
  if (message.role === 'user' || (message.role === 'assistant' && message.runId !== run.id)) {
    throw forbiddenWrite(`the message ${message.id} in somebody else's name`);
  }
}

/** What the run has heard of what a person said to it. */
export function steeringMessages({ events }: CommitFromTab): UserMessage[] {
  return events.flatMap((event) => (event.type === 'steered' ? [event.message] : []));
}

/**
 * A tab hears what a person has told its run, in their words and no others.
 *
 * @throws ToolyardError `bad_request`
 */
export async function checkSteering(
  commit: CommitFromTab,
  wasSaid: (message: UserMessage) => Promise<boolean>,
): Promise<void> {
  for (const message of steeringMessages(commit))
    if (!(await wasSaid(message))) throw forbiddenWrite('a message of a person');
}

/** True for the same words in the same order. */
export function hasSameParts(one: readonly UserPart[], other: readonly UserPart[]): boolean {
  return canonicalJson(one as unknown as JsonValue) === canonicalJson(other as unknown as JsonValue);
}

/** The state names its run and its conversation; whoever takes the run up would go on with another one. */
function checkState(run: RunRecord, { state, status }: CommitFromTab): void {
  const stored: unknown = state;
  const point = isObject(stored) ? stored['point'] : null;
  const at = isObject(point) ? point['state'] : null;
  if (!isObject(stored) || !isObject(point) || !isObject(at) || !isObject(point['context']))
    throw forbiddenWrite('its state');
  const { schemaVersion: version } = at;
  const isReadable = typeof version === 'number' && version >= 1 && version <= STATE_SCHEMA_VERSION;
  if (!isReadable || typeof stored['leafId'] !== 'string' || typeof stored['shownId'] !== 'string') {
    throw forbiddenWrite('a state nobody can go on from');
  }
  if (at['runId'] !== run.id || at['conversationId'] !== run.conversationId)
    throw forbiddenWrite('the state of another run');
  const isOver = status === 'done' || status === 'failed' || status === 'cancelled';
  if (isOver && at['status'] !== status) throw forbiddenWrite('an end its state does not know of');
}

/** Files that messages name, by sha256; only those of the owner may be named. */
export function filesNamedBy({ events, messages = [] }: CommitFromTab): Set<string> {
  const finished = events.flatMap((event) =>
    event.type === 'message_finished' || event.type === 'tool_finished' ? [event.message] : [],
  );
  const parts = [...finished, ...messages.map(({ message }) => message)].flatMap((message) =>
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

/** What a tab may not write. */
export function forbiddenWrite(what: string): ToolyardError {
  return new ToolyardError({
    code: 'bad_request',
    message: `A tab may write its own run and nothing else: this holds ${what}.`,
  });
}
