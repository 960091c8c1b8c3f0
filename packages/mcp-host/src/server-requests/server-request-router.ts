import type { Client, ClientContext, RequestId, Root } from '@modelcontextprotocol/client';
import { ProtocolError } from '@modelcontextprotocol/client';
import type { JsonObject } from '@toolyard/protocol';
import { defined, ToolyardError, say } from '@toolyard/protocol';
import type { CancelledCall, CancelledCalls } from '../calls/cancelled-calls.ts';
import type { Caller } from '../types.ts';
import type { OpenRequests } from './open-requests.ts';
import type { SessionRoots } from './session-roots.ts';
import { toRoots } from './session-roots.ts';
import type { InputRequest, ServerRequestContext, ServerRequestHandlers } from './answer-request.ts';
import { answerServerRequest, getCapabilities, readServerRequest } from './answer-request.ts';
import type { RawResultTransport } from '../transports/raw-result-transport.ts';
import { conversationsIn } from '../calls/relay-meta.ts';
import {
  answerForCancelled,
  listConversations,
  firstAnswer,
  onePerConversation,
  possibleCancelled,
  possibleRequests,
} from './server-requests.ts';
import type { ServerInputRequest, OpenRequest } from '../calls/track-request.ts';
import { untilAborted } from '../calls/track-request.ts';

export type ServerRequestRouterOptions = {
  serverId: string;
  handlers: ServerRequestHandlers;
  /** The requests in progress on this connection. */
  open: ReadonlySet<OpenRequest>;
  /** Its cancelled calls that the server has not answered. */
  cancelled: CancelledCalls;
  /** The requests of this server that wait for an answer. */
  requests: OpenRequests;
  /** Called when the server sent a request that may belong to several calls. */
  onAmbiguous: () => void;
  /** The roots of conversations; absent if the server gets none, or those of the host. */
  roots?: {
    ofSession: SessionRoots;
    /** Reserves the connection for the conversation of this caller; false if others use it. */
    reserve: (caller: Caller) => boolean;
  };
};

/** Routes the requests of one server, in either era, to the handlers of the owner. */
export class ServerRequestRouter {
  readonly #options: ServerRequestRouterOptions;
  #isRelayed = false;
  readonly #completed = new Map<string, () => void>();

  constructor(options: ServerRequestRouterOptions) {
    this.#options = options;
  }

  get capabilities(): ReturnType<typeof getCapabilities> {
    const { handlers, roots } = this.#options;
    return getCapabilities(roots === undefined ? handlers : { ...handlers, roots: () => [] });
  }

  /** Legacy servers send requests of their own, which do not name a call. */
  attach(client: Client, transport: Pick<RawResultTransport, 'findCarrier' | 'relays' | 'onlateanswer'>): void {
    const { sampling, form, url, roots } = this.#options.handlers;
    transport.onlateanswer = (requestId) => this.#options.cancelled.answered(requestId);
    this.#isRelayed = transport.relays;
    const answer = (method: string, params: unknown, { id, signal }: ClientContext['mcpReq']): Promise<never> =>
      this.#answerServer(
        { method, params: (params ?? {}) as JsonObject },
        signal,
        transport.findCarrier(id),
      ) as Promise<never>;
    if (sampling) {
      client.setRequestHandler('sampling/createMessage', ({ method, params }, { mcpReq }) =>
        answer(method, params, mcpReq),
      );
    }
    if (form || url) {
      client.setRequestHandler('elicitation/create', ({ method, params }, { mcpReq }) =>
        answer(method, params, mcpReq),
      );
      client.setNotificationHandler('notifications/elicitation/complete', ({ params }) => {
        this.#completed.get(params.elicitationId)?.();
        this.#completed.delete(params.elicitationId);
      });
    }
    const { roots: ofCallers } = this.#options;
    if (ofCallers) {
      client.setRequestHandler('roots/list', ({ params }, { mcpReq }) => ({
        roots: this.#rootsFor((params ?? {}) as JsonObject, transport.findCarrier(mcpReq.id), ofCallers),
      }));
    } else if (roots) {
      // The roots are the same for every call.
      client.setRequestHandler(
        'roots/list',
        ({ method, params }, { mcpReq }) =>
          this.#answer({ method, params: (params ?? {}) as JsonObject }, mcpReq.signal, undefined) as Promise<never>,
      );
    }
  }

  /**
   * A server that asks for the first time during a call on a shared connection keeps the answer: the connection is reserved
   * for the conversation of the call, or the server gets no roots.
   */
  #rootsFor(
    params: JsonObject,
    carrier: RequestId | undefined,
    { ofSession, reserve }: NonNullable<ServerRequestRouterOptions['roots']>,
  ): Root[] {
    const callers = possibleRequests(this.#options.open, params, carrier).map(({ caller }) => caller);
    const [caller] = callers;
    const isOne = callers.every((other) => other?.conversationId === caller?.conversationId);
    if (caller?.roots !== undefined && isOne && reserve(caller)) ofSession.set(caller.roots);
    return ofSession.answer();
  }

  /** Modern servers ask with `input_required`; a failure fails the request. @throws ToolyardError */
  async answerInRound(input: ServerInputRequest, request: OpenRequest): Promise<JsonObject> {
    let close: (() => void) | undefined;
    try {
      close = this.#options.requests.open([request]);
      return await this.#answer(input, request.signal, request);
    } catch (thrown) {
      throw this.#createUnanswerableError(thrown);
    } finally {
      close?.();
    }
  }

  /** @throws ToolyardError if so many inputs of one round are too many */
  checkRound(count: number): void {
    try {
      this.#options.requests.checkTogether(count);
    } catch (thrown) {
      throw this.#createUnanswerableError(thrown);
    }
  }

  /** Reads a request of a round that is answered elsewhere; null if it needs no user. @throws ToolyardError */
  readInRound(input: ServerInputRequest, request: OpenRequest): InputRequest | null {
    try {
      return readServerRequest(input, this.#handlersFor(request));
    } catch (thrown) {
      throw this.#createUnanswerableError(thrown);
    }
  }

  #createUnanswerableError(thrown: unknown): ToolyardError {
    const why = thrown instanceof ProtocolError ? thrown.message : say`it could not be answered.`;
    return new ToolyardError({
      code: 'tool_failed',
      message: say`The server "${this.#options.serverId}" requested input during the call: ${why} The call has not finished.`,
    });
  }

  /** Only declared capabilities: the handlers of a call replace those of the host without adding any. */
  #handlersFor(request: OpenRequest | undefined): ServerRequestHandlers {
    const { handlers } = this.#options;
    const { roots } = this.#options;
    const ofCaller = roots === undefined ? {} : { roots: () => toRoots(request?.caller?.roots ?? []) };
    return { ...handlers, ...request?.handlers, ...ofCaller };
  }

  /** Suspends the timeouts of all calls the request may belong to until it is answered. */
  async #answerServer(
    input: ServerInputRequest,
    signal: AbortSignal,
    carrier: RequestId | undefined,
  ): Promise<JsonObject> {
    const { open } = this.#options;
    const calls = possibleRequests(open, input.params, carrier);
    const cancelled = possibleCancelled(this.#options.cancelled, input.params, carrier);
    if (calls.length === 0 && cancelled.length > 0) return answerForCancelled(input);
    const close = this.#options.requests.open(calls);
    const resume = (calls.length === 0 ? [...open] : calls).map(({ deadline }) => deadline.suspend());
    try {
      if (calls.length + cancelled.length > 1)
        return await this.#answerForOneConversation(input, signal, calls, cancelled);
      // The process with the connection knows which calls are in flight.
      const mayBelongTo = this.#isRelayed ? conversationsIn(input.params) : undefined;
      return await this.#answer(input, signal, calls[0], mayBelongTo);
    } finally {
      for (const one of resume) one();
      close();
    }
  }

  #answerForOneConversation(
    input: ServerInputRequest,
    signal: AbortSignal,
    calls: readonly OpenRequest[],
    cancelled: readonly CancelledCall[],
  ): Promise<JsonObject> {
    this.#options.onAmbiguous();
    const mayBelongTo = listConversations([...calls, ...cancelled]);
    const chosen = onePerConversation(calls);
    if (chosen.length === 0) return this.#answer(input, signal, undefined);
    return firstAnswer(chosen, (call, over) => this.#answer(input, AbortSignal.any([signal, over]), call, mayBelongTo));
  }

  #answer(
    input: ServerInputRequest,
    signal: AbortSignal,
    request: OpenRequest | undefined,
    mayBelongTo?: readonly string[],
  ): Promise<JsonObject> {
    const { serverId } = this.#options;
    const handlers = this.#handlersFor(request);
    // A cancelled call needs no answers.
    const either = request === undefined ? signal : AbortSignal.any([signal, request.signal]);
    const context: ServerRequestContext = {
      serverId,
      signal: either,
      ...(request?.tool === undefined ? {} : { tool: request.tool }),
      ...defined({ mayBelongTo }),
    };
    const completed = (id: string): Promise<void> =>
      new Promise((resolve) => {
        if (id !== '') this.#completed.set(id, resolve);
      });
    return untilAborted(answerServerRequest(handlers, input, context, completed), either);
  }
}
