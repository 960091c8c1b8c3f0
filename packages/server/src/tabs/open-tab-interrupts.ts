import type { CallToolOptions, SamplingRequest } from '@toolyard/mcp-host';
import type { JsonObject, Owner, TabInputRequest, TabInputAnswer, ToolReference } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import type { TabRepository } from '@toolyard/storage';

export type OpenTabInterruptsOptions = {
  tabs: Pick<TabRepository, 'inputRequests' | 'answer'>;
  principal: Owner;
  key: { runId: string; callId: string };
  tool: ToolReference;
  /** Handlers that forward the requests of the call to the user. */
  options: Pick<CallToolOptions, 'handlers' | 'signal'>;
  /** Called when an answer was stored, because the tab waits for it. */
  onAnswer: () => void;
};

/** Requests that the server of a call sends in the tab, shown to the user by this process. */
export class OpenTabInterrupts {
  readonly #of: OpenTabInterruptsOptions;
  readonly #put = new Set<string>();
  readonly #over = new AbortController();

  constructor(of: OpenTabInterruptsOptions) {
    this.#of = of;
  }

  /** Opens interrupts for new requests. Resolves when they are open, not when they are answered. */
  async look(): Promise<void> {
    const { tabs, principal, key } = this.#of;
    for (const { id, question: request, answer } of await tabs.inputRequests(principal, key)) {
      if (answer !== null || this.#put.has(id)) continue;
      this.#put.add(id);
      void this.#answer(id, request);
    }
  }

  /** Stops waiting for answers. */
  end(): void {
    this.#over.abort();
  }

  async #answer(id: string, request: TabInputRequest): Promise<void> {
    const { tabs, principal, key, onAnswer } = this.#of;
    const answer = await this.#ask(request).catch((): TabInputAnswer => ({ kind: 'refused' }));
    // An ended call, or one that another process continues, accepts no answer from here.
    if (this.#over.signal.aborted || this.#of.options.signal?.aborted) return;
    await tabs.answer(principal, key, id, answer).then(onAnswer, () => this.#put.delete(id));
  }

  async #ask(request: TabInputRequest): Promise<TabInputAnswer> {
    const { tool, options } = this.#of;
    const { form, url, sampling } = options.handlers ?? {};
    const signals = [this.#over.signal, ...(options.signal ? [options.signal] : [])];
    const { mayBelongTo } = request;
    const asked = {
      serverId: tool.serverId,
      tool,
      signal: AbortSignal.any(signals),
      ...defined({ mayBelongTo }),
    };
    switch (request.kind) {
      case 'form': {
        if (form === undefined) return { kind: 'refused' };
        const { message, requestedSchema } = request;
        // The tab has validated the schema; the form is parsed again before it is shown.
        const elicitation = { message, requestedSchema } as unknown as Parameters<typeof form>[0];
        const answer = await form(elicitation, asked);
        if (answer.action !== 'accept') return { kind: 'form', action: answer.action };
        return { kind: 'form', action: 'accept', content: answer.content };
      }
      case 'url': {
        if (url === undefined) return { kind: 'refused' };
        const elicitation = { mode: 'url' as const, message: request.message, url: request.url, elicitationId: '' };
        return { kind: 'url', action: await url(elicitation, { ...asked, completed: new Promise(() => undefined) }) };
      }
      case 'sampling': {
        if (sampling === undefined) return { kind: 'refused' };
        const answer = await sampling(request.request as unknown as SamplingRequest, asked);
        return { kind: 'sampling', answer: answer as unknown as JsonObject };
      }
    }
  }
}
