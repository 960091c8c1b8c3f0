import type {
  ErrorInfo,
  InterruptAnswer,
  JsonObject,
  SamplingInterrupt,
  ToolReference,
  ToolResult,
} from '@toolyard/protocol';
import { createErrorInfo, defined, isJsonObject, isStorageFault, ToolyardError, say } from '@toolyard/protocol';
import type { PendingCall, PendingInterrupt } from '@toolyard/agent-runtime';
import type {
  InputAnswers,
  InputRequest,
  CallToolOptions,
  InputRound,
  ServerRequestContext,
  ServerRequestHandlers,
} from '@toolyard/mcp-host';
import type { RunHost, ServerInterrupt } from '../run-host.ts';
import type { SamplingUsage } from './sampling-usage.ts';
import { sample } from './sample.ts';
import { describeSampling } from './sampling-view.ts';

type ServerInterrupts = NonNullable<PendingCall['serverInterrupts']>;

export type CallInterruptsOf = {
  callId: string;
  tool: ToolReference;
  name: string;
  step: number;
  samplingUsage: SamplingUsage;
};

/** Limit of the state that is stored for a server that waits. */
const MAX_STATE_LENGTH = 1_024 * 1_024;

/** Requests of the server of one call, as interrupts: asked while the call is open, or stored until the user has answered. */
export class CallInterrupts {
  readonly #host: RunHost;
  readonly #of: CallInterruptsOf;
  #asked = 0;
  #round: InputRound | undefined;

  constructor(host: RunHost, of: CallInterruptsOf) {
    this.#host = host;
    this.#of = of;
  }

  /** The options for making the call. */
  get options(): Pick<CallToolOptions, 'handlers' | 'onRound'> {
    const { mode } = this.#host.interrupts;
    if (mode === 'decline') return {};
    if (mode === 'ask') return { handlers: this.#handlers };
    return {
      handlers: this.#handlers,
      onRound: (round) => {
        this.#round = round;
      },
    };
  }

  /** The interrupts that the call waits for, if its result says so. */
  async findInterrupts({ error, outcome }: ToolResult): Promise<ServerInterrupts | null> {
    const interruptMode = this.#host.interrupts;
    if (interruptMode.mode !== 'park') return null;
    if (this.#round !== undefined && error?.code === 'input_required') {
      const { asked, state, ...rest } = this.#round;
      if (JSON.stringify(asked).length > MAX_STATE_LENGTH) return null;
      const interrupts = asked.map(({ question: request }) => this.#createInterrupt(request));
      const sealed = state === undefined ? undefined : await interruptMode.seal(state);
      return this.#park(interrupts, { ...rest, asked, ...defined({ sealed }) });
    }
    if (error?.code === 'needs_sign_in' && outcome === 'not_sent') {
      const { callId, tool, name } = this.#of;
      return this.#park([{ id: this.#nextId(), kind: 'sign_in', callId, tool, name }], {});
    }
    if (error?.code === 'needs_tab' && outcome === 'not_sent') {
      const { callId, tool, name } = this.#of;
      return this.#park([{ id: this.#nextId(), kind: 'tab', callId, tool, name }], {});
    }
    return null;
  }

  /** Converts answers into the response to the server; `refusal` if the call is not made again. */
  async resume({
    interrupts: pending,
    state,
  }: ServerInterrupts): Promise<{ resume: InputAnswers | null } | { refusal: ErrorInfo }> {
    const asked = Array.isArray(state['asked']) ? (state['asked'] as unknown as InputRound['asked']) : null;
    if (asked === null) {
      const unanswered = pending.find(
        ({ answer }) => answer?.decision !== 'signed_in' && answer?.decision !== 'tab_here',
      );
      if (unanswered === undefined) return { resume: null };
      return { refusal: unanswered.interrupt.kind === 'tab' ? NO_TAB : NOT_SIGNED_IN };
    }
    const number = Number(state['number']);
    if (state['refused'] === true) {
      const all = pending.every(({ answer }) => answer?.decision === 'accept');
      return all ? { resume: { number } } : { refusal: NOT_OPENED };
    }
    const responses: JsonObject = isJsonObject(state['answered']) ? { ...state['answered'] } : {};
    for (const [at, { key, question: request }] of asked.entries()) {
      const answer = pending[at]?.answer;
      if (answer === undefined) return { refusal: NOT_ANSWERED };
      try {
        responses[key] = await this.#responseTo(request, answer, this.#host.signal);
      } catch (thrown) {
        // After a storage error the answers are applied again later, when the usage can be read.
        if (isStorageFault(thrown)) throw thrown;
        return { refusal: ToolyardError.isInstance(thrown) ? thrown.toJSON() : NOT_ANSWERED };
      }
    }
    const { sealed } = state;
    const interruptMode = this.#host.interrupts;
    if (typeof sealed !== 'string') return { resume: { number, responses } };
    if (interruptMode.mode !== 'park') return { refusal: NOT_ANSWERED };
    try {
      return { resume: { number, responses, state: await interruptMode.open(sealed) } };
    } catch (thrown) {
      if (isStorageFault(thrown)) throw thrown;
      return { refusal: STATE_UNREADABLE };
    }
  }

  get #handlers(): ServerRequestHandlers {
    return {
      form: async ({ message, requestedSchema }, context) => {
        const schema = requestedSchema as unknown as JsonObject;
        const answer = await this.#askLive({ kind: 'form', message, requestedSchema: schema }, context);
        if (answer.decision === 'accept') return { action: 'accept', content: answer.content ?? {}, asIs: true };
        return { action: answer.decision === 'decline' ? 'decline' : 'cancel' };
      },
      url: async ({ message, url }, context) => {
        const { decision } = await this.#askLive({ kind: 'url', message, url }, context);
        return decision === 'accept' || decision === 'decline' ? decision : 'cancel';
      },
      sampling: async (request, context) => {
        const asked = request as unknown as JsonObject;
        const answer = await this.#askLive({ kind: 'sampling', request: asked }, context);
        return sample(this.#host, asked, answer, context.signal, this.#of);
      },
    };
  }

  async #responseTo(request: InputRequest, answer: InterruptAnswer, signal: AbortSignal): Promise<JsonObject> {
    switch (request.kind) {
      case 'form':
        if (answer.decision === 'accept') return { action: 'accept', content: answer.content ?? {} };
        return { action: answer.decision === 'decline' ? 'decline' : 'cancel' };
      case 'url':
        return { action: answer.decision === 'accept' || answer.decision === 'decline' ? answer.decision : 'cancel' };
      case 'sampling':
        return (await sample(this.#host, request.request, answer, signal, this.#of)) as unknown as JsonObject;
    }
  }

  /** Asks while the call stays open. */
  async #askLive(asked: InputRequest, { signal, mayBelongTo }: ServerRequestContext): Promise<InterruptAnswer> {
    const { journal, interrupts: interruptMode } = this.#host;
    if (interruptMode.mode === 'decline') throw new ToolyardError(NOT_ANSWERED);
    const interrupt: ServerInterrupt = {
      ...this.#createInterrupt(asked),
      ...(mayBelongTo === undefined ? {} : { mayBelongTo: [...mayBelongTo] }),
    };
    journal.append({ type: 'interrupt_requested', interrupt, live: true });
    let answer: InterruptAnswer;
    try {
      answer = await interruptMode.ask(interrupt, { signal });
      signal.throwIfAborted();
    } catch (thrown) {
      journal.append({ type: 'interrupt_withdrawn', interruptId: interrupt.id });
      throw ToolyardError.isInstance(thrown) ? thrown : new ToolyardError(NOT_ANSWERED);
    }
    journal.append({ type: 'interrupt_answered', interruptId: interrupt.id, answer });
    return answer;
  }

  /** Published at once: other calls of the step may take longer. */
  #park(interrupts: PendingInterrupt['interrupt'][], state: JsonObject): ServerInterrupts {
    for (const interrupt of interrupts) this.#host.journal.append({ type: 'interrupt_requested', interrupt });
    return { interrupts: interrupts.map((interrupt) => ({ interrupt })), state };
  }

  #createInterrupt(request: InputRequest): ServerInterrupt {
    const { callId, tool, name } = this.#of;
    const base = { id: this.#nextId(), callId, tool, name };
    switch (request.kind) {
      case 'form': {
        const { message, requestedSchema } = request;
        return { ...base, kind: 'elicitation', mode: 'form', message, requestedSchema };
      }
      case 'url':
        return { ...base, kind: 'elicitation', mode: 'url', message: request.message, url: request.url };
      case 'sampling': {
        const { modelId } = this.#host;
        return {
          ...base,
          kind: 'sampling',
          model: modelId,
          ...describeSampling(request.request),
        } satisfies SamplingInterrupt;
      }
    }
  }

  /** A retried step asks again, and so does a call that is made again. */
  #nextId(): string {
    const { callId, step } = this.#of;
    return `${callId}.ask.${step}.${this.#host.journal.attempt}.${this.#asked++}`;
  }
}

const NOT_SIGNED_IN: ErrorInfo = createErrorInfo({
  code: 'needs_sign_in',
  message: say`The server requires a sign-in, and the user did not sign in. The call was not made.`,
});

const NO_TAB: ErrorInfo = createErrorInfo({
  code: 'needs_tab',
  message: say`The tool is on a server of a browser tab, and the user did not wait for such a tab. The call was not made.`,
});

const NOT_OPENED: ErrorInfo = createErrorInfo({
  code: 'tool_refused',
  message: say`The server asked the user to open a page first, and the user did not. The call was not made.`,
});

const STATE_UNREADABLE: ErrorInfo = createErrorInfo({
  code: 'refused',
  message: say`The stored state of the server for this call cannot be decrypted: it was changed, or another key is in use. The call was not made.`,
});

const NOT_ANSWERED: ErrorInfo = createErrorInfo({ code: 'refused', message: say`The user did not answer.` });
