import { ProtocolError } from '@modelcontextprotocol/client';
import type { RequestId } from '@modelcontextprotocol/client';
import type { JsonObject } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';
import type { CancelledCall, CancelledCalls } from '../calls/cancelled-calls.ts';
import type { ServerInputRequest, OpenRequest } from '../calls/track-request.ts';

const INTERNAL = -32_603;
/** What the protocol has for a user who said no. */
const REFUSED = -1;

/**
 * Which of the requests in flight a legacy server's own request may belong to.
 *
 * @param carrier the request of ours on whose stream it came, where the transport has a stream for each
 */
export function possibleRequests(
  open: ReadonlySet<OpenRequest>,
  params: JsonObject,
  carrier: RequestId | undefined,
): OpenRequest[] {
  const all = [...open];
  const related = relatedTaskOf(params);
  if (related === undefined && carrier !== undefined) return all.filter(({ requestId }) => requestId === carrier);
  // What is asked for a task says so; what does not comes from a call that is no task.
  const calls = all.filter(({ tool, taskId }) => tool !== undefined && taskId === related);
  return related === undefined ? calls : calls.slice(0, 1);
}

/**
 * The calls that nobody waits for any more to which a request may belong, where it is for none of the tasks.
 *
 * @param carrier as for {@link possibleRequests}
 */
export function possibleCancelled(
  cancelled: CancelledCalls,
  params: JsonObject,
  carrier: RequestId | undefined,
): CancelledCall[] {
  return relatedTaskOf(params) === undefined ? cancelled.mayAsk(carrier) : [];
}

/** What the server is told where all the calls it may ask for were cancelled. @throws ProtocolError */
export function answerForCancelled({ method }: ServerInputRequest): JsonObject {
  if (method === 'elicitation/create') return { action: 'cancel' };
  throw new ProtocolError(
    REFUSED,
    'The call this request may belong to was cancelled, so it was not shown to the user.',
  );
}

/** The conversations these calls belong to. @throws ProtocolError where they belong to more than one principal */
export function conversationsOf(calls: readonly Pick<OpenRequest, 'caller'>[]): string[] {
  if (new Set(calls.map(({ caller }) => caller?.principal)).size > 1) {
    throw new ProtocolError(
      INTERNAL,
      'This request does not say which call it belongs to, and it may belong to calls of several users. It was not shown to any user; the next call has a connection of its own.',
    );
  }
  return [...new Set(calls.flatMap(({ caller }) => caller?.conversationId ?? []))];
}

/** One call of each conversation that has somebody to ask. */
export function onePerConversation(calls: readonly OpenRequest[]): OpenRequest[] {
  const chosen = new Map<string | undefined, OpenRequest>();
  for (const call of calls) {
    const { conversationId } = call.caller ?? {};
    if (call.handlers !== undefined && !chosen.has(conversationId)) chosen.set(conversationId, call);
  }
  return [...chosen.values()];
}

/**
 * Asks for all of these calls at once; the first answer counts, and the others are no longer asked. A call that ends
 * before it is answered is no answer, as long as another one is left.
 *
 * @throws what was thrown for the call that counts
 */
export function firstAnswer(
  calls: readonly OpenRequest[],
  ask: (call: OpenRequest, signal: AbortSignal) => Promise<JsonObject>,
): Promise<JsonObject> {
  const answered = new AbortController();
  let left = calls.length;
  return new Promise<JsonObject>((resolve, reject) => {
    for (const call of calls) {
      ask(call, AbortSignal.any([call.over, answered.signal])).then(resolve, (thrown: Error) => {
        left--;
        if (left === 0 || !(call.over.aborted || call.signal.aborted)) reject(thrown);
      });
    }
  }).finally(() => answered.abort());
}

/** The task in the name of which a legacy server asks. */
function relatedTaskOf({ _meta: meta }: JsonObject): string | undefined {
  const related = isJsonObject(meta) ? meta['io.modelcontextprotocol/related-task'] : undefined;
  const taskId = isJsonObject(related) ? related['taskId'] : undefined;
  return typeof taskId === 'string' ? taskId : undefined;
}
