import { ProtocolError } from '@modelcontextprotocol/client';
import type { RequestId } from '@modelcontextprotocol/client';
import type { JsonObject } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';
import type { CancelledCall, CancelledCalls } from '../calls/cancelled-calls.ts';
import type { ServerInputRequest, OpenRequest } from '../calls/track-request.ts';

const INTERNAL = -32_603;
/** JSON-RPC error code for a request the user declined. */
const DECLINED = -1;

/**
 * The requests in flight to which a legacy server's request may belong.
 *
 * @param carrier id of our request on whose stream it arrived, for transports with a stream per request
 */
export function possibleRequests(
  open: ReadonlySet<OpenRequest>,
  params: JsonObject,
  carrier: RequestId | undefined,
): OpenRequest[] {
  const all = [...open];
  const related = findRelatedTask(params);
  if (related === undefined && carrier !== undefined) return all.filter(({ requestId }) => requestId === carrier);
  // A request during a task names the task; without a name it belongs to a call that is not a task.
  const calls = all.filter(({ tool, taskId }) => tool !== undefined && taskId === related);
  return related === undefined ? calls : calls.slice(0, 1);
}

/**
 * The cancelled calls to which a request without a task may belong.
 *
 * @param carrier as for {@link possibleRequests}
 */
export function possibleCancelled(
  cancelled: CancelledCalls,
  params: JsonObject,
  carrier: RequestId | undefined,
): CancelledCall[] {
  return findRelatedTask(params) === undefined ? cancelled.mayAsk(carrier) : [];
}

/** The answer if all calls the request may belong to were cancelled. @throws ProtocolError */
export function answerForCancelled({ method }: ServerInputRequest): JsonObject {
  if (method === 'elicitation/create') return { action: 'cancel' };
  throw new ProtocolError(
    DECLINED,
    'The call this request may belong to was cancelled, so it was not shown to the user.',
  );
}

/** The conversations of these calls. @throws ProtocolError if they belong to more than one principal */
export function listConversations(calls: readonly Pick<OpenRequest, 'caller'>[]): string[] {
  if (new Set(calls.map(({ caller }) => caller?.principal)).size > 1) {
    throw new ProtocolError(
      INTERNAL,
      'This request does not name its call, and calls of several users are in flight. It was not shown to any user; the next call gets its own connection.',
    );
  }
  return [...new Set(calls.flatMap(({ caller }) => caller?.conversationId ?? []))];
}

/** One call per conversation, if it has a user to ask. */
export function onePerConversation(calls: readonly OpenRequest[]): OpenRequest[] {
  const chosen = new Map<string | undefined, OpenRequest>();
  for (const call of calls) {
    const { conversationId } = call.caller ?? {};
    if (call.handlers !== undefined && !chosen.has(conversationId)) chosen.set(conversationId, call);
  }
  return [...chosen.values()];
}

/**
 * Asks for all of these calls in parallel; the first answer counts, and the others are withdrawn. A call that ends
 * early is skipped while another one is left.
 *
 * @throws what was thrown for the call that counts
 */
export function firstAnswer(
  calls: readonly OpenRequest[],
  ask: (call: OpenRequest, signal: AbortSignal) => Promise<JsonObject>,
): Promise<JsonObject> {
  const answered = new AbortController();
  let remaining = calls.length;
  return new Promise<JsonObject>((resolve, reject) => {
    for (const call of calls) {
      ask(call, AbortSignal.any([call.over, answered.signal])).then(resolve, (thrown: Error) => {
        remaining--;
        if (remaining === 0 || !(call.over.aborted || call.signal.aborted)) reject(thrown);
      });
    }
  }).finally(() => answered.abort());
}

/** The id of the task during which a legacy server sent the request. */
function findRelatedTask({ _meta: meta }: JsonObject): string | undefined {
  const related = isJsonObject(meta) ? meta['io.modelcontextprotocol/related-task'] : undefined;
  const taskId = isJsonObject(related) ? related['taskId'] : undefined;
  return typeof taskId === 'string' ? taskId : undefined;
}
