import type { Client } from '@modelcontextprotocol/client';
import type { Clock, JsonObject, ToolReference } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import type { CancelledCalls } from './cancelled-calls.ts';
import type { Deadline } from './deadline.ts';
import { startDeadline } from './deadline.ts';
import type { InputRequest, ServerRequestHandlers } from '../server-requests/answer-request.ts';
import type { Caller, CallToolOptions } from '../types.ts';

/** The SDK sends the abort reason to the server, so it is a constant and never contains text of a user or a model. */
const ABORT_REASON = 'The client no longer waits for this call.';

/** Thrown when a request was stopped on our side. */
export class RequestStopped extends Error {
  readonly by: 'caller' | 'closing' | 'time-out';

  constructor(by: RequestStopped['by']) {
    super(`The request was stopped (${by}).`);
    this.by = by;
  }
}

/** A request in progress, as seen by the code that closes the connection or asks the user for input. */
export type OpenRequest = {
  /** Set for tool calls. */
  readonly tool?: ToolReference;
  /** Set if the call became a task; the server then includes the task id in its requests. */
  readonly taskId?: string;
  /** On whose behalf the request is made. */
  readonly caller?: Caller;
  /** Its JSON-RPC id, set once sent. */
  requestId?: number | undefined;
  /** Answers the server's requests during it, in place of the host's handlers. */
  readonly handlers?: ServerRequestHandlers;
  /** Aborted when the request is stopped. */
  readonly signal: AbortSignal;
  /** Aborted when the request ends in any way, including a result. */
  readonly over: AbortSignal;
  readonly deadline: Deadline;
  stop(): void;
};

/** A server's request for input, in the form of the protocol. */
export type ServerInputRequest = { method: string; params: JsonObject };

/** Answers one server request during a request of ours; the result has the form of the protocol. */
type AnswerInputRequest = (input: ServerInputRequest, request: OpenRequest) => Promise<JsonObject>;

export type RequestContext = {
  client: Client;
  clock: Clock;
  open: Set<OpenRequest>;
  /** Cancelled calls that the server has not answered. */
  cancelled: CancelledCalls;
  /** True if the peer is another Toolyard process that is connected to the server. */
  relays: boolean;
  /** The JSON-RPC id of the request sent last. */
  lastRequestId: () => number | undefined;
  answer: AnswerInputRequest;
  /** Reads a request that a user must answer; null if none is needed. */
  read: (input: ServerInputRequest, request: OpenRequest) => InputRequest | null;
  /** @throws ToolyardError if so many inputs of one round are too many */
  checkRound: (count: number) => void;
};

/** A request to track, its caller and its time limits. */
export type TrackedRequest = {
  options: CallToolOptions;
  /** Longest time without activity, in milliseconds. */
  timeoutMs: number;
  /** Longest time in all, in milliseconds. */
  totalMs: number;
  tool?: ToolReference | undefined;
  taskId?: string;
};

/** A request in progress; the caller, closing the connection and the timeout can stop it. */
export type StartedRequest = {
  entry: OpenRequest;
  /** Maps an error of the request: {@link RequestStopped} if it was stopped, else the error itself. */
  failure(thrown: unknown): unknown;
  /** Ends the tracking. */
  end(): void;
};

/** @throws RequestStopped if its signal is aborted already */
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
    // Created on demand: aborting an unused AbortController would dominate the cost of a call.
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
 * Runs `work` as a request that can be stopped.
 *
 * @throws RequestStopped if it was stopped; else what `work` throws
 */
export async function trackRequest<T>(
  context: Pick<RequestContext, 'clock' | 'open' | 'cancelled'>,
  tracked: TrackedRequest,
  work: (entry: OpenRequest) => Promise<T>,
): Promise<T> {
  const started = beginRequest(context, tracked);
  try {
    return await work(started.entry);
  } catch (thrown) {
    throw started.failure(thrown);
  } finally {
    started.end();
  }
}

/** Rejects as soon as the signal is aborted, because a user may never answer. */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(new Error('The request was aborted.'));
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
