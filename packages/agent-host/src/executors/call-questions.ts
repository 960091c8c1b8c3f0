import type {
  ErrorInfo,
  InterruptAnswer,
  JsonObject,
  SamplingInterrupt,
  ToolReference,
  ToolResult,
} from '@toolyard/protocol';
import { defined, isJsonObject, isStorageFault, ToolyardError } from '@toolyard/protocol';
import type { PendingCall, PendingQuestion } from '@toolyard/agent-runtime';
import type {
  AnsweredRound,
  AskedQuestion,
  CallToolOptions,
  InputRound,
  Question,
  QuestionHandlers,
} from '@toolyard/mcp-host';
import type { RunHost, ServerQuestion } from '../run-host.ts';
import type { SamplingUsage } from './sampling-usage.ts';
import { sample } from './sample.ts';
import { describeSampling } from './sampling-view.ts';

type Waits = NonNullable<PendingCall['waits']>;

export type CallQuestionsOf = { callId: string; tool: ToolReference; name: string; step: number; bill: SamplingUsage };

/** More is not kept for a server that waits. */
const LONGEST_ROUND = 1_024 * 1_024;

/** What the server of one call asks while the call is made: put to a person now, or kept until one has answered. */
export class CallQuestions {
  readonly #host: RunHost;
  readonly #of: CallQuestionsOf;
  #asked = 0;
  #round: InputRound | undefined;

  constructor(host: RunHost, of: CallQuestionsOf) {
    this.#host = host;
    this.#of = of;
  }

  /** What the call is made with. */
  get options(): Pick<CallToolOptions, 'handlers' | 'onRound'> {
    const { who } = this.#host.questions;
    if (who === 'nobody') return {};
    if (who === 'person') return { handlers: this.#handlers };
    return {
      handlers: this.#handlers,
      onRound: (round) => {
        this.#round = round;
      },
    };
  }

  /** What the call waits for, if that is what its result says. */
  async leftBy({ error, outcome }: ToolResult): Promise<Waits | null> {
    const { questions } = this.#host;
    if (questions.who !== 'park') return null;
    if (this.#round !== undefined && error?.code === 'input_required') {
      const { asked, state, ...rest } = this.#round;
      if (JSON.stringify(asked).length > LONGEST_ROUND) return null;
      const interrupts = asked.map(({ question }) => this.#interruptOf(question));
      const sealed = state === undefined ? undefined : await questions.seal(state);
      const keeps = { ...rest, asked: asked as unknown as JsonObject[], ...defined({ sealed }) };
      return this.#park(interrupts, keeps);
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

  /** Turns what was said into what the server is sent; `refusal` where the call is not made again. */
  async resume({ questions, keeps }: Waits): Promise<{ resume: AnsweredRound | null } | { refusal: ErrorInfo }> {
    const asked = Array.isArray(keeps['asked']) ? (keeps['asked'] as unknown as InputRound['asked']) : null;
    if (asked === null) {
      const unmet = questions.find(({ answer }) => answer?.decision !== 'signed_in' && answer?.decision !== 'tab_here');
      if (unmet === undefined) return { resume: null };
      return { refusal: unmet.interrupt.kind === 'tab' ? NO_TAB : NOT_SIGNED_IN };
    }
    const number = Number(keeps['number']);
    if (keeps['refused'] === true) {
      const all = questions.every(({ answer }) => answer?.decision === 'accept');
      return all ? { resume: { number } } : { refusal: NOT_OPENED };
    }
    const responses: JsonObject = isJsonObject(keeps['answered']) ? { ...keeps['answered'] } : {};
    for (const [at, { key, question }] of asked.entries()) {
      const answer = questions[at]?.answer;
      if (answer === undefined) return { refusal: NOT_ANSWERED };
      try {
        responses[key] = await this.#responseTo(question, answer, this.#host.signal);
      } catch (thrown) {
        // What was answered counts again once it can be looked up what may be used.
        if (isStorageFault(thrown)) throw thrown;
        return { refusal: ToolyardError.isInstance(thrown) ? thrown.toJSON() : NOT_ANSWERED };
      }
    }
    const { sealed } = keeps;
    const { questions: questioning } = this.#host;
    if (typeof sealed !== 'string') return { resume: { number, responses } };
    if (questioning.who !== 'park') return { refusal: NOT_ANSWERED };
    try {
      return { resume: { number, responses, state: await questioning.open(sealed) } };
    } catch (thrown) {
      if (isStorageFault(thrown)) throw thrown;
      return { refusal: STATE_UNREADABLE };
    }
  }

  get #handlers(): QuestionHandlers {
    return {
      form: async ({ message, requestedSchema }, question) => {
        const schema = requestedSchema as unknown as JsonObject;
        const answer = await this.#put({ kind: 'form', message, requestedSchema: schema }, question);
        if (answer.decision === 'accept') return { action: 'accept', content: answer.content ?? {}, asIs: true };
        return { action: answer.decision === 'decline' ? 'decline' : 'cancel' };
      },
      url: async ({ message, url }, question) => {
        const { decision } = await this.#put({ kind: 'url', message, url }, question);
        return decision === 'accept' || decision === 'decline' ? decision : 'cancel';
      },
      sampling: async (request, question) => {
        const asked = request as unknown as JsonObject;
        const answer = await this.#put({ kind: 'sampling', request: asked }, question);
        return sample(this.#host, asked, answer, question.signal, this.#of);
      },
    };
  }

  async #responseTo(question: AskedQuestion, answer: InterruptAnswer, signal: AbortSignal): Promise<JsonObject> {
    switch (question.kind) {
      case 'form':
        if (answer.decision === 'accept') return { action: 'accept', content: answer.content ?? {} };
        return { action: answer.decision === 'decline' ? 'decline' : 'cancel' };
      case 'url':
        return { action: answer.decision === 'accept' || answer.decision === 'decline' ? answer.decision : 'cancel' };
      case 'sampling':
        return (await sample(this.#host, question.request, answer, signal, this.#of)) as unknown as JsonObject;
    }
  }

  /** The call stays open meanwhile. */
  async #put(asked: AskedQuestion, { signal, mayBelongTo }: Question): Promise<InterruptAnswer> {
    const { journal, questions } = this.#host;
    if (questions.who === 'nobody') throw new ToolyardError(NOT_ANSWERED);
    const interrupt: ServerQuestion = {
      ...this.#interruptOf(asked),
      ...(mayBelongTo === undefined ? {} : { mayBelongTo: [...mayBelongTo] }),
    };
    journal.append({ type: 'interrupt_requested', interrupt, live: true });
    let answer: InterruptAnswer;
    try {
      answer = await questions.ask(interrupt, { signal });
      signal.throwIfAborted();
    } catch (thrown) {
      journal.append({ type: 'interrupt_withdrawn', interruptId: interrupt.id });
      throw ToolyardError.isInstance(thrown) ? thrown : new ToolyardError(NOT_ANSWERED);
    }
    journal.append({ type: 'interrupt_answered', interruptId: interrupt.id, answer });
    return answer;
  }

  /** Told at once: other calls of the step may still take their time. */
  #park(interrupts: PendingQuestion['interrupt'][], keeps: JsonObject): Waits {
    for (const interrupt of interrupts) this.#host.journal.append({ type: 'interrupt_requested', interrupt });
    return { questions: interrupts.map((interrupt) => ({ interrupt })), keeps };
  }

  #interruptOf(question: AskedQuestion): ServerQuestion {
    const { callId, tool, name } = this.#of;
    const base = { id: this.#nextId(), callId, tool, name };
    switch (question.kind) {
      case 'form': {
        const { message, requestedSchema } = question;
        return { ...base, kind: 'elicitation', mode: 'form', message, requestedSchema };
      }
      case 'url':
        return { ...base, kind: 'elicitation', mode: 'url', message: question.message, url: question.url };
      case 'sampling': {
        const { modelId } = this.#host;
        return {
          ...base,
          kind: 'sampling',
          model: modelId,
          ...describeSampling(question.request),
        } satisfies SamplingInterrupt;
      }
    }
  }

  /** A step that is taken again asks anew, and so does a call that is made again. */
  #nextId(): string {
    const { callId, step } = this.#of;
    return `${callId}.ask.${step}.${this.#host.journal.attempt}.${this.#asked++}`;
  }
}

const NOT_SIGNED_IN: ErrorInfo = {
  code: 'needs_sign_in',
  message: 'The server wants to know who is there, and the person did not sign in. The call was not made.',
};

const NO_TAB: ErrorInfo = {
  code: 'needs_tab',
  message: 'The tool is reached from a tab of the browser, and the person did not wait for one. The call was not made.',
};

const NOT_OPENED: ErrorInfo = {
  code: 'tool_refused',
  message: 'The server wants the person to open a page first, and they did not. The call was not made.',
};

const STATE_UNREADABLE: ErrorInfo = {
  code: 'refused',
  message:
    'What the server wanted kept until the person had answered cannot be read any more: it was changed, or another key is in use. The call was not made.',
};

const NOT_ANSWERED: ErrorInfo = { code: 'refused', message: 'The person did not answer.' };
