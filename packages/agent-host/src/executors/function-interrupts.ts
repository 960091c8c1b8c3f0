import type { InterruptAnswer, ToolResult } from '@toolyard/protocol';
import { createErrorInfo, canonicalJson, ToolyardError, say } from '@toolyard/protocol';
import type { DelegableTask, PendingFunctionInterrupt, PendingCall } from '@toolyard/agent-runtime';
import { NO_SUB_AGENTS, NO_USER_ERROR } from '../functions/no-user-error.ts';
import type { UserAnswer, UserInputRequest } from '../functions/tool.ts';
import type { RunHost } from '../run-host.ts';
import type { SubAgentResult } from '../sub-agents.ts';

type InterruptHost = Pick<RunHost, 'approvalMode' | 'interrupts' | 'subAgents'>;

/** What a call's tool asks of the user and delegates, with the answers when the call was made before. */
export class FunctionInterrupts {
  readonly #host: InterruptHost;
  readonly #answered: readonly PendingFunctionInterrupt[];
  #park!: (result: ToolResult) => void;
  /** Resolves when the call has asked for something without an answer. */
  readonly parked = new Promise<ToolResult>((resolve) => (this.#park = resolve));
  #count = 0;
  #openInterrupt: PendingFunctionInterrupt | null = null;

  constructor(host: InterruptHost, { answeredInterrupts: asked = [], functionInterrupt: asks }: PendingCall) {
    this.#host = host;
    this.#answered = asks?.answer ? [...asked, asks] : asked;
  }

  /** The interrupts to store with the call; null if it has asked nothing new. */
  get newInterrupts(): Pick<PendingCall, 'functionInterrupt' | 'answeredInterrupts'> | null {
    return this.#openInterrupt && { functionInterrupt: this.#openInterrupt, answeredInterrupts: [...this.#answered] };
  }

  /** Returns a stored answer at once; without one it never settles, because the call is made again with the answer. */
  async ask<Q extends UserInputRequest>(request: Q): Promise<UserAnswer<Q>> {
    const asks = toPending(request);
    const before = this.#answeredBefore(asks);
    // The answer has the kind of the request, which TypeScript cannot follow.
    if (before) return before.answer as InterruptAnswer as UserAnswer<Q>;
    if (!canAsk(this.#host, asks)) throw new ToolyardError(NO_USER_ERROR);
    return this.#wait(asks);
  }

  /** Returns the results of sub-agents that are over; before that it never settles. */
  async delegate(tasks: readonly DelegableTask[]): Promise<SubAgentResult[]> {
    const { subAgents } = this.#host;
    if (!subAgents) throw new ToolyardError(NO_SUB_AGENTS);
    if (tasks.length === 0) return [];
    const asks = { kind: 'delegation' as const, tasks: [...tasks], isOpen: false };
    const before = this.#answeredBefore(asks);
    if (before?.kind === 'delegation') return subAgents.results(before.children ?? []);
    return this.#wait(asks);
  }

  /** An answer applies only to the same request. */
  #answeredBefore(asks: PendingFunctionInterrupt): PendingFunctionInterrupt | null {
    const before = this.#answered[this.#count++];
    if (!before?.answer) return null;
    if (!isSame(before, asks)) throw new ToolyardError(CHANGED);
    return before;
  }

  #wait(asks: PendingFunctionInterrupt): Promise<never> {
    this.#openInterrupt ??= asks;
    this.#park(PARKED);
    return new Promise<never>(() => undefined);
  }
}

function canAsk({ approvalMode, interrupts }: InterruptHost, { kind }: PendingFunctionInterrupt): boolean {
  if (approvalMode.mode !== 'ask') return approvalMode.mode === 'park';
  return kind === 'elicitation' ? interrupts.mode === 'ask' : approvalMode.askUser !== undefined;
}

function toPending(request: UserInputRequest): PendingFunctionInterrupt {
  switch (request.kind) {
    case 'prompt':
      return { kind: 'prompt', question: request.question, isOpen: false };
    case 'selection': {
      const { multiple = false } = request;
      const choices = [...request.choices];
      if (choices.length < 2 || new Set(choices).size < choices.length) throw new ToolyardError(NO_CHOICE);
      return { kind: 'selection', question: request.question, choices, multiple, isOpen: false };
    }
    case 'form': {
      const { message, schema } = request;
      return { kind: 'elicitation', mode: 'form', message, requestedSchema: schema, isOpen: false };
    }
  }
}

function isSame(before: PendingFunctionInterrupt, now: PendingFunctionInterrupt): boolean {
  const { answer: _answer, ...asked } = before;
  if (asked.kind === 'elicitation') delete asked.id;
  if (asked.kind === 'delegation') delete asked.children;
  return canonicalJson({ ...asked, isOpen: false }) === canonicalJson(now);
}

const PARKED: ToolResult = {
  content: [],
  isError: true,
  outcome: 'not_sent',
  error: createErrorInfo({ code: 'input_required', message: say`The call waits for an answer of the user.` }),
};

const NO_CHOICE = {
  code: 'bad_request',
  message: say`A selection needs at least two choices, all different.`,
} as const;

const CHANGED = {
  code: 'tool_failed',
  message: say`The tool asks a different question than when it was executed before: the stored answer does not apply.`,
} as const;
