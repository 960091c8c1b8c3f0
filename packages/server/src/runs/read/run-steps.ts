import type {
  ErrorInfo,
  FactEvent,
  InterruptAnswer,
  Owner,
  RunCall,
  RunEvent,
  RunModelCall,
  RunInterrupt,
  RunRecord,
  RunStep,
  RunSteps,
  RunStore,
  ToolCallPart,
  Usage,
  UserMessage,
} from '@toolyard/protocol';
import { addUsage, defined, ignoreEvent } from '@toolyard/protocol';

const PAGE = 1_000;

/** Computes the steps of a run from its events without deltas. `now`: end of a wait in progress. */
export async function readSteps(
  store: Pick<RunStore, 'readWholeEvents'>,
  principal: Owner,
  run: RunRecord,
  now: number,
): Promise<RunSteps> {
  const steps = new Steps();
  for (let after = 0; ;) {
    const page = (await store.readWholeEvents(principal, run.id, after, PAGE)) ?? [];
    for (const event of page) steps.take(event);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) break;
    after = last.seq;
  }
  return steps.toSteps(run, now);
}

/** Builds the steps of one run, event by event. */
class Steps {
  readonly #items: RunStep[] = [];
  readonly #asked = new Map<string, ToolCallPart>();
  readonly #calls = new Map<string, RunCall>();
  readonly #interrupts = new Map<string, RunInterrupt>();
  #userMessage: UserMessage | null = null;
  #waitedMs = 0;
  #parkedAt: number | null = null;
  #usage: Usage = {};
  #cost: number | null = 0;
  #end: { usage: Usage; cost?: number; error?: ErrorInfo } | null = null;

  take(event: RunEvent): void {
    switch (event.type) {
      case 'run_started':
        this.#userMessage = event.message;
        return;
      case 'step_started':
        this.#open(event);
        return;
      case 'run_parked': {
        this.#parkedAt = event.at;
        const last = this.#items.at(-1);
        if (last) last.endedAt = event.at;
        return;
      }
      case 'run_resumed':
        this.#waitedMs += event.at - (this.#parkedAt ?? event.at);
        this.#parkedAt = null;
        return;
      case 'interrupt_answered':
        this.#close(event.interruptId, 'answered', event.at, event.answer);
        return;
      case 'interrupt_withdrawn':
        this.#close(event.interruptId, 'withdrawn', event.at, null);
        return;
      case 'run_finished': {
        const { usage, cost, error } = event;
        this.#end = { usage, ...defined({ cost, error }) };
        break;
      }
      default:
        ignoreEvent<FactEvent>(event);
    }
    const step = this.#items.findLast((item) => item.step === event.step && item.attempt === event.attempt);
    if (step) this.#takeInto(step, event);
  }

  toSteps(run: RunRecord, now: number): RunSteps {
    const waited = this.#waitedMs + (this.#parkedAt === null ? 0 : Math.max(0, (run.endedAt ?? now) - this.#parkedAt));
    const { usage, cost, error } = this.#end ?? { usage: this.#usage, cost: this.#cost ?? undefined };
    return {
      run,
      question: this.#userMessage,
      items: this.#items.map((step, index) => this.#ended(step, index, run)),
      waitedMs: waited,
      usage,
      ...defined({ cost, error }),
    };
  }

  #open({ step, attempt, at, instruction }: Extract<RunEvent, { type: 'step_started' }>): void {
    const last = this.#items.at(-1);
    if (last) last.endedAt ??= at;
    this.#items.push({
      step,
      attempt,
      instruction,
      startedAt: at,
      endedAt: null,
      calls: [],
      questions: [],
      steered: [],
      notices: [],
    });
  }

  /** The last step ended with the run. */
  #ended(step: RunStep, index: number, run: RunRecord): RunStep {
    if (step.endedAt !== null || index < this.#items.length - 1) return step;
    return { ...step, endedAt: run.endedAt };
  }

  #takeInto(step: RunStep, event: RunEvent): void {
    switch (event.type) {
      case 'request_made': {
        const { messageId, request } = event;
        step.model = { ...emptyModelCall(messageId, request.model, request.leafId), request };
        return;
      }
      case 'message_started':
        step.model = { ...emptyModelCall(event.messageId, event.model, event.parentId), ...getRequest(step) };
        return;
      case 'tool_call_ready':
        this.#asked.set(event.call.callId, event.call);
        return;
      case 'message_finished': {
        const { usage, cost, finishReason, parts } = event.message;
        if (usage) this.#usage = addUsage(this.#usage, usage);
        this.#cost = this.#cost === null || cost === undefined ? null : this.#cost + cost;
        const failure = parts.find((part) => part.type === 'error');
        step.model = {
          ...(step.model ?? emptyModelCall(event.message.id, event.message.model, event.message.parentId)),
          durationMs: event.at - step.startedAt,
          finishReason,
          ...defined({ usage, cost }),
          ...(failure ? { error: failure.error } : {}),
          calls: parts.flatMap((part) => (part.type === 'tool_call' ? [{ callId: part.callId, name: part.name }] : [])),
        };
        return;
      }
      case 'attempt_abandoned':
        step.abandoned = true;
        step.endedAt = event.at;
        return;
      case 'interrupt_requested': {
        const { interrupt, live = false, at } = event;
        const runInterrupt: RunInterrupt = {
          interrupt,
          live,
          askedAt: at,
          status: 'open',
          answer: null,
          closedAt: null,
        };
        this.#interrupts.set(interrupt.id, runInterrupt);
        step.questions.push(runInterrupt);
        return;
      }
      case 'tool_started': {
        const call = this.#getCall(step, event);
        call.startedAt = event.at;
        if (event.editedArguments) call.editedArguments = event.editedArguments;
        return;
      }
      case 'tool_finished': {
        const { message, result, durationMs, callId } = event;
        const call = this.#getCall(step, { callId, name: message.name, tool: message.tool });
        call.result = result;
        // Measured from before the call could start; system clocks may jump.
        const between = event.at - (call.startedAt ?? event.at - durationMs);
        call.durationMs = between < 0 ? durationMs : Math.min(durationMs, between);
        if (message.editedArguments) call.editedArguments = message.editedArguments;
        return;
      }
      case 'steered':
        step.steered.push(event.message);
        return;
      case 'notice': {
        const { level, code, text, templates } = event;
        step.notices.push({ level, code, text, ...defined({ templates }) });
        return;
      }
      default:
        ignoreEvent<
          | 'run_started'
          | 'tool_call_malformed'
          | 'interrupt_answered'
          | 'interrupt_withdrawn'
          | 'compression_finished'
          | 'run_finished'
        >(event);
    }
  }

  /** Finds a call; one that is repeated in a later step is listed there too. */
  #getCall(step: RunStep, { callId, name, tool }: Pick<RunCall, 'callId' | 'name' | 'tool'>): RunCall {
    const known = this.#calls.get(callId);
    if (known && step.calls.includes(known)) return known;
    const args = this.#asked.get(callId)?.arguments ?? {};
    const call: RunCall = { callId, name, tool, arguments: args, startedAt: null, durationMs: null, result: null };
    this.#calls.set(callId, call);
    step.calls.push(call);
    return call;
  }

  #close(id: string, status: 'answered' | 'withdrawn', at: number, answer: InterruptAnswer | null): void {
    const runInterrupt = this.#interrupts.get(id);
    if (!runInterrupt) return;
    runInterrupt.status = status;
    runInterrupt.answer = answer;
    runInterrupt.closedAt = at;
  }
}

function emptyModelCall(messageId: string, model: string, parentId: string | null): RunModelCall {
  return { messageId, model, parentId, durationMs: null, finishReason: 'pending', calls: [] };
}

function getRequest({ model }: RunStep): Pick<RunModelCall, 'request'> {
  return model?.request ? { request: model.request } : {};
}
