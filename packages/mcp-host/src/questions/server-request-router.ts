import type { Client, ClientContext, RequestId } from '@modelcontextprotocol/client';
import { ProtocolError } from '@modelcontextprotocol/client';
import type { JsonObject } from '@toolyard/protocol';
import { defined, ToolyardError } from '@toolyard/protocol';
import type { CancelledCall, CancelledCalls } from '../calls/cancelled-calls.ts';
import type { AskedQuestion, Question, QuestionHandlers } from './questions.ts';
import { answerQuestion, capabilitiesOf, readQuestion } from './questions.ts';
import type { RawResultTransport } from '../transports/raw-result-transport.ts';
import { conversationsIn } from '../calls/relay-meta.ts';
import {
  answerForCancelled,
  conversationsOf,
  firstAnswer,
  onePerConversation,
  possibleCancelled,
  possibleRequests,
} from './server-requests.ts';
import type { ServerInputRequest, OpenRequest } from '../calls/track-request.ts';
import { untilAborted } from '../calls/track-request.ts';

export type ServerRequestRouterOptions = {
  serverId: string;
  handlers: QuestionHandlers;
  /** The requests under way on this connection. */
  open: ReadonlySet<OpenRequest>;
  /** Its calls that are no longer waited for. */
  cancelled: CancelledCalls;
  /** The server asked something that may belong to several calls. */
  onAmbiguous: () => void;
};

/** Takes what one server asks, in either era, to the handlers of the owner. */
export class ServerRequestRouter {
  readonly #options: ServerRequestRouterOptions;
  #isRelayed = false;
  readonly #completed = new Map<string, () => void>();

  constructor(options: ServerRequestRouterOptions) {
    this.#options = options;
  }

  get capabilities(): ReturnType<typeof capabilitiesOf> {
    return capabilitiesOf(this.#options.handlers);
  }

  /** Legacy servers ask by requests of their own, which do not say which call they belong to. */
  attach(client: Client, transport: Pick<RawResultTransport, 'carrierOf' | 'relays' | 'onlateanswer'>): void {
    const { sampling, form, url, roots } = this.#options.handlers;
    transport.onlateanswer = (requestId) => this.#options.cancelled.answered(requestId);
    this.#isRelayed = transport.relays;
    const answer = (method: string, params: unknown, { id, signal }: ClientContext['mcpReq']): Promise<never> =>
      this.#answerServer(
        { method, params: (params ?? {}) as JsonObject },
        signal,
        transport.carrierOf(id),
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
    if (roots) {
      // The folders are the same whatever they are wanted for.
      client.setRequestHandler(
        'roots/list',
        ({ method, params }, { mcpReq }) =>
          this.#answer({ method, params: (params ?? {}) as JsonObject }, mcpReq.signal, undefined) as Promise<never>,
      );
    }
  }

  /** Modern servers ask by an answer that wants more; what fails here fails the request. @throws ToolyardError */
  async answerInRound(asked: ServerInputRequest, request: OpenRequest): Promise<JsonObject> {
    try {
      return await this.#answer(asked, request.signal, request);
    } catch (thrown) {
      throw this.#unanswerable(thrown);
    }
  }

  /** A question of a round that waits for a person somewhere else; null for what needs none. @throws ToolyardError */
  readInRound(asked: ServerInputRequest, request: OpenRequest): AskedQuestion | null {
    try {
      return readQuestion(asked, this.#handlersFor(request));
    } catch (thrown) {
      throw this.#unanswerable(thrown);
    }
  }

  #unanswerable(thrown: unknown): ToolyardError {
    const why = thrown instanceof ProtocolError ? thrown.message : 'it could not be answered.';
    return new ToolyardError({
      code: 'tool_failed',
      message: `The server "${this.#options.serverId}" asked for something in between: ${why} It has not finished.`,
    });
  }

  /** Only what was declared: the handlers of a call are those of the host, in the hands of whoever makes the call. */
  #handlersFor(request: OpenRequest | undefined): QuestionHandlers {
    const { handlers } = this.#options;
    return request?.handlers === undefined ? handlers : { ...handlers, ...request.handlers };
  }

  /** The time of whatever it may be asked for stands still until it is answered. */
  async #answerServer(
    asked: ServerInputRequest,
    signal: AbortSignal,
    carrier: RequestId | undefined,
  ): Promise<JsonObject> {
    const { open } = this.#options;
    const calls = possibleRequests(open, asked.params, carrier);
    const cancelled = possibleCancelled(this.#options.cancelled, asked.params, carrier);
    if (calls.length === 0 && cancelled.length > 0) return answerForCancelled(asked);
    const resume = (calls.length === 0 ? [...open] : calls).map(({ deadline }) => deadline.suspend());
    try {
      if (calls.length + cancelled.length > 1) return await this.#answerForOneOf(asked, signal, calls, cancelled);
      // The process that has the server knows which calls are in flight there.
      const mayBelongTo = this.#isRelayed ? conversationsIn(asked.params) : undefined;
      return await this.#answer(asked, signal, calls[0], mayBelongTo);
    } finally {
      for (const one of resume) one();
    }
  }

  #answerForOneOf(
    asked: ServerInputRequest,
    signal: AbortSignal,
    calls: readonly OpenRequest[],
    cancelled: readonly CancelledCall[],
  ): Promise<JsonObject> {
    this.#options.onAmbiguous();
    const mayBelongTo = conversationsOf([...calls, ...cancelled]);
    const chosen = onePerConversation(calls);
    if (chosen.length === 0) return this.#answer(asked, signal, undefined);
    return firstAnswer(chosen, (call, over) => this.#answer(asked, AbortSignal.any([signal, over]), call, mayBelongTo));
  }

  #answer(
    asked: ServerInputRequest,
    signal: AbortSignal,
    request: OpenRequest | undefined,
    mayBelongTo?: readonly string[],
  ): Promise<JsonObject> {
    const { serverId } = this.#options;
    const handlers = this.#handlersFor(request);
    // Whoever stops the call does not want its questions answered either.
    const either = request === undefined ? signal : AbortSignal.any([signal, request.signal]);
    const question: Question = {
      serverId,
      signal: either,
      ...(request?.tool === undefined ? {} : { tool: request.tool }),
      ...defined({ mayBelongTo }),
    };
    const completed = (id: string): Promise<void> =>
      new Promise((resolve) => {
        if (id !== '') this.#completed.set(id, resolve);
      });
    return untilAborted(answerQuestion(handlers, asked, question, completed), either);
  }
}
