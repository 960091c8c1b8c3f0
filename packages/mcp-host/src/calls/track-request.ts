import type { Client } from '@modelcontextprotocol/client';
import type { Clock, JsonObject, ToolReference } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import type { CancelledCalls } from './cancelled-calls.ts';
import type { Deadline } from './deadline.ts';
import { startDeadline } from './deadline.ts';
import type { AskedQuestion, QuestionHandlers } from '../questions/questions.ts';
import type { Caller, CallToolOptions } from '../types.ts';

/** The SDK sends the reason of an abort to the server: it gets this and never a person's or a model's words. */
const ABORT_REASON = 'The client no longer waits for this call.';

/** We stopped waiting, whoever wanted that. */
export class RequestStopped extends Error {
  readonly by: 'caller' | 'closing' | 'time-out';

  constructor(by: RequestStopped['by']) {
    super(`The request was stopped (${by}).`);
    this.by = by;
  }
}

/** A request on its way, as whoever closes the connection or asks a person in between sees it. */
export type OpenRequest = {
  /** Set for calls of tools. */
  readonly tool?: ToolReference;
  /** Set where the call has become a task of the server, which says so with what it asks. */
  readonly taskId?: string;
  /** On whose behalf it is made. */
  readonly caller?: Caller;
  /** What it is called on the wire, once it was sent. */
  requestId?: number | undefined;
  /** Who answers what is asked while it is open, in place of the handlers of the host. */
  readonly handlers?: QuestionHandlers;
  /** Aborted when it is stopped. */
  readonly signal: AbortSignal;
  /** Aborted when it is over, also by an answer. */
  readonly over: AbortSignal;
  readonly deadline: Deadline;
  stop(): void;
};

/** Something a server wants to know, as the protocol has it. */
export type ServerInputRequest = { method: string; params: JsonObject };

/** Answers one thing a server asks for in the middle of a request; its result, as the protocol has it. */
type AnswerQuestion = (asked: ServerInputRequest, request: OpenRequest) => Promise<JsonObject>;

export type RequestContext = {
  client: Client;
  clock: Clock;
  open: Set<OpenRequest>;
  /** Calls that are no longer waited for. */
  cancelled: CancelledCalls;
  /** True where a process of Toolyard is asked, which has the server. */
  relays: boolean;
  /** What the request that was sent just now is called on the wire. */
  lastRequestId: () => number | undefined;
  answer: AnswerQuestion;
  /** Looks over what a person is to be asked; null for what needs none. */
  read: (asked: ServerInputRequest, request: OpenRequest) => AskedQuestion | null;
};

/** What is under way, for whom, and how long it may take. */
export type TrackedRequest = {
  options: CallToolOptions;
  /** Without a sign of life, in milliseconds. */
  timeoutMs: number;
  /** In all. */
  totalMs: number;
  tool?: ToolReference | undefined;
  taskId?: string;
};

/** A request that has begun: it can be stopped by whoever asked for it, whoever closes the connection, and the clock. */
export type StartedRequest = {
  entry: OpenRequest;
  /** What is thrown for what was thrown: {@link RequestStopped} where the request was stopped. */
  failure(thrown: unknown): unknown;
  /** It is over. */
  end(): void;
};

/** @throws RequestStopped where it is not wanted any more */
export function beginRequest(
  { clock, open, cancelled }: Pick<RequestContext, 'clock' | 'open' | 'cancelled'>,
  { options, timeoutMs, totalMs, tool, taskId }: TrackedRequest,
): StartedRequest {
  if (options.signal?.aborted === true) throw new RequestStopped('caller');
  const relay = new AbortController();
  let over: AbortController | undefined;
  let stopped: RequestStopped['by'] | undefined;
  const stop = (by: RequestStopped['by']): void => {
    stopped ??= by;
    relay.abort(ABORT_REASON);
  };
  const deadline = startDeadline(clock, timeoutMs, totalMs, () => stop('time-out'));
  const onAbort = (): void => stop('caller');
  options.signal?.addEventListener('abort', onAbort, { once: true });
  const entry: OpenRequest = {
    ...defined({ tool, taskId, caller: options.caller, handlers: options.handlers }),
    signal: relay.signal,
    // Made for those that look: aborting one costs more than all the rest of a call.
    get over() {
      over ??= new AbortController();
      return over.signal;
    },
    deadline,
    stop: () => stop('closing'),
  };
  open.add(entry);
  return {
    entry,
    failure(thrown) {
      if (stopped === undefined) return thrown;
      if (tool !== undefined && taskId === undefined) cancelled.add(entry);
      return new RequestStopped(stopped);
    },
    end() {
      deadline.end();
      open.delete(entry);
      over?.abort();
      options.signal?.removeEventListener('abort', onAbort);
    },
  };
}

/**
 * Does `work` as a request that can be stopped.
 *
 * @throws RequestStopped where it was; else what `work` throws
 */
export async function trackRequest<T>(
  context: Pick<RequestContext, 'clock' | 'open' | 'cancelled'>,
  undertaking: TrackedRequest,
  work: (entry: OpenRequest) => Promise<T>,
): Promise<T> {
  const begun = beginRequest(context, undertaking);
  try {
    return await work(begun.entry);
  } catch (thrown) {
    throw begun.failure(thrown);
  } finally {
    begun.end();
  }
}

/** Also ends when the signal does: a person who is asked may never answer. */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(new Error('Nobody waits for this any more.'));
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
