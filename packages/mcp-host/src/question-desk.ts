import type { Client } from '@modelcontextprotocol/client';
import { ProtocolError } from '@modelcontextprotocol/client';
import type { JsonObject } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import type { AskedQuestion, Question, QuestionHandlers } from './questions.ts';
import { answerQuestion, capabilitiesOf, readQuestion } from './questions.ts';
import type { OpenRequest } from './request.ts';
import { untilAborted } from './request.ts';

export type QuestionDeskOptions = {
  serverId: string;
  handlers: QuestionHandlers;
  /** The requests under way on this connection. */
  open: ReadonlySet<OpenRequest>;
};

/** Takes what one server asks, in either era, to the handlers of the owner. */
export class QuestionDesk {
  readonly #options: QuestionDeskOptions;
  readonly #completed = new Map<string, () => void>();

  constructor(options: QuestionDeskOptions) {
    this.#options = options;
  }

  get capabilities(): ReturnType<typeof capabilitiesOf> {
    return capabilitiesOf(this.#options.handlers);
  }

  /** Legacy servers ask by requests of their own, which say nothing of the call they come from. */
  attach(client: Client): void {
    const { sampling, form, url, roots } = this.#options.handlers;
    const answer = (method: string, params: unknown, signal: AbortSignal): Promise<never> =>
      this.#answerAside({ method, params: (params ?? {}) as JsonObject }, signal) as Promise<never>;
    if (sampling) {
      client.setRequestHandler('sampling/createMessage', ({ method, params }, { mcpReq }) =>
        answer(method, params, mcpReq.signal),
      );
    }
    if (form || url) {
      client.setRequestHandler('elicitation/create', ({ method, params }, { mcpReq }) =>
        answer(method, params, mcpReq.signal),
      );
      client.setNotificationHandler('notifications/elicitation/complete', ({ params }) => {
        this.#completed.get(params.elicitationId)?.();
        this.#completed.delete(params.elicitationId);
      });
    }
    if (roots) {
      client.setRequestHandler('roots/list', ({ method, params }, { mcpReq }) => answer(method, params, mcpReq.signal));
    }
  }

  /** Modern servers ask by an answer that wants more; what fails here fails the request. @throws ToolyardError */
  async answerInRound(asked: { method: string; params: JsonObject }, request: OpenRequest): Promise<JsonObject> {
    try {
      return await this.#answer(asked, request.signal, request);
    } catch (thrown) {
      throw this.#unanswerable(thrown);
    }
  }

  /** A question of a round that waits for a person somewhere else; null for what needs none. @throws ToolyardError */
  readInRound(asked: { method: string; params: JsonObject }, request: OpenRequest): AskedQuestion | null {
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

  async #answerAside(asked: { method: string; params: JsonObject }, signal: AbortSignal): Promise<JsonObject> {
    const open = [...this.#options.open];
    const calls = open.filter(({ tool }) => tool !== undefined);
    const resume = open.map(({ deadline }) => deadline.suspend());
    try {
      return await this.#answer(asked, signal, calls.length === 1 ? calls[0] : undefined);
    } finally {
      for (const one of resume) one();
    }
  }

  #answer(
    asked: { method: string; params: JsonObject },
    signal: AbortSignal,
    request: OpenRequest | undefined,
  ): Promise<JsonObject> {
    const { serverId } = this.#options;
    const handlers = this.#handlersFor(request);
    // Whoever stops the call does not want its questions answered either.
    const either = request === undefined ? signal : AbortSignal.any([signal, request.signal]);
    const question: Question = {
      serverId,
      signal: either,
      ...(request?.tool === undefined ? {} : { tool: request.tool }),
    };
    const completed = (id: string): Promise<void> =>
      new Promise((resolve) => {
        if (id !== '') this.#completed.set(id, resolve);
      });
    return untilAborted(answerQuestion(handlers, asked, question, completed), either);
  }
}
