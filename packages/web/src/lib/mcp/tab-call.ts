import type { McpHost, ServerRequestContext, ServerRequestHandlers, SamplingAnswer } from '@toolyard/mcp-host';
import type {
  AskFromTab,
  ClaimedTabCall,
  FinishTabCall,
  JsonObject,
  TabInputRequest,
  TabInputAnswer,
  ToolResult,
} from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import type { Api } from '../api/client.ts';
import { ApiError } from '../api/error.ts';

export type TabCallDeps = {
  /** Identifies the call in paths of the API. */
  params: { tab: string; run: string; call: string };
  conversationId: string;
  api: Pick<Api, 'put' | 'post'>;
  host: () => Promise<McpHost>;
  wait: (ms: number) => Promise<void>;
};

const MAX_DELAY_MS = 10_000;

/** One call of a run on the server, executed by this tab. */
export class TabCall {
  readonly #deps: TabCallDeps;
  readonly #over = new AbortController();
  readonly #waiting = new Map<string, (answer: TabInputAnswer) => void>();
  #asked = 0;

  constructor(deps: TabCallDeps) {
    this.#deps = deps;
  }

  /** The run no longer waits for it. */
  drop(): void {
    this.#over.abort();
  }

  /** Answers to the requests of its server. */
  answered(answers: Readonly<Record<string, TabInputAnswer>>): void {
    for (const [id, answer] of Object.entries(answers)) this.#waiting.get(id)?.(answer);
  }

  /**
   * Executes the call and delivers its result. Once claimed, the call is executed; delivery is retried until the server
   * accepts it.
   */
  async execute({ fence, tool, arguments: args, definition }: ClaimedTabCall): Promise<void> {
    const host = await this.#deps.host();
    const result = await host.callTool(tool, args, {
      caller: { conversationId: this.#deps.conversationId },
      signal: this.#over.signal,
      handlers: this.#handlers(fence),
      // A tool whose definition changed since it was approved, or since the run received it, is not called.
      ...(definition === '' ? {} : { definition }),
    });
    if (!this.#over.signal.aborted) await this.#bring(fence, result);
  }

  async #bring(fence: number, result: ToolResult): Promise<void> {
    const { api, params, wait } = this.#deps;
    let body: FinishTabCall = { fence, result };
    for (let ms = 500; !this.#over.signal.aborted; ms = Math.min(MAX_DELAY_MS, ms * 2)) {
      try {
        return await api.post('/api/tabs/{tab}/runs/{run}/calls/{call}/result', { params, body });
      } catch (thrown) {
        const isRefused = thrown instanceof ApiError && thrown.status >= 400 && thrown.status < 500;
        if (isRefused && thrown.status !== 401 && thrown.status !== 429) {
          // The call was executed: its outcome must not stay open because the server rejects the result.
          if (thrown.status === 409 || thrown.status === 404 || body.result !== result) return;
          body = { fence, result: rejectedResult(thrown.message) };
          continue;
        }
        await wait(ms);
      }
    }
  }

  #handlers(fence: number): ServerRequestHandlers {
    return {
      form: async ({ message, requestedSchema }, asked) => {
        const schema = requestedSchema as unknown as JsonObject;
        const answer = await this.#ask(fence, { kind: 'form', message, requestedSchema: schema }, asked);
        if (answer.kind !== 'form') throw UNANSWERED;
        return answer.action === 'accept' ? { ...answer, asIs: true } : { action: answer.action };
      },
      url: async ({ message, url }, asked) => {
        const answer = await this.#ask(fence, { kind: 'url', message, url }, asked);
        if (answer.kind !== 'url') throw UNANSWERED;
        return answer.action;
      },
      sampling: async (request, asked) => {
        const answer = await this.#ask(fence, { kind: 'sampling', request: request as unknown as JsonObject }, asked);
        if (answer.kind !== 'sampling') throw UNANSWERED;
        return answer.answer as unknown as SamplingAnswer;
      },
    };
  }

  /**
   * The request becomes an interrupt of the run, so that it is shown in the chat and can be answered from any client.
   */
  async #ask(
    fence: number,
    what: TabInputRequest,
    { signal, mayBelongTo }: ServerRequestContext,
  ): Promise<TabInputAnswer> {
    const { api, params } = this.#deps;
    const id = `q${String(this.#asked++)}`;
    const request = mayBelongTo === undefined ? what : { ...what, mayBelongTo: [...mayBelongTo] };
    const body: AskFromTab = { fence, question: request };
    const answer = new Promise<TabInputAnswer>((resolve, reject) => {
      const end = (): void => reject(UNANSWERED);
      this.#waiting.set(id, resolve);
      for (const over of [signal, this.#over.signal]) {
        if (over.aborted) end();
        over.addEventListener('abort', end, { once: true });
      }
    });
    try {
      await api.put('/api/tabs/{tab}/runs/{run}/calls/{call}/questions/{question}', {
        params: { ...params, question: id },
        body,
      });
      return await answer;
    } finally {
      answer.catch(() => undefined);
      this.#waiting.delete(id);
    }
  }
}

function rejectedResult(why: string): ToolResult {
  const message = `The tool returned a result, but the server rejected it: ${why}`;
  return {
    content: [{ type: 'text', text: message }],
    isError: true,
    outcome: 'done',
    error: { code: 'bad_response', message },
  };
}

const UNANSWERED = new ToolyardError({ code: 'refused', message: 'The question was not answered.' });
