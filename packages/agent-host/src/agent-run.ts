import type {
  Clock,
  ErrorInfo,
  Failpoint,
  IdSource,
  Message,
  RunEvent,
  RunJournal,
  RunLimits,
  ToolCallPart,
  ToolResult,
  Usage,
  UserMessage,
  UserPart,
} from '@toolyard/protocol';
import { textOf, ToolyardError } from '@toolyard/protocol';
import type { AgentContext, Ending } from '@toolyard/agent-runtime';
import { initialState } from '@toolyard/agent-runtime';
import type { DriveOptions, Heard } from './drive-run.ts';
import { driveRun } from './drive-run.ts';
import { EventQueue } from './event-queue.ts';
import { createMemoryJournal } from './memory-journal.ts';
import type { MemoryConversation } from './memory-conversation.ts';

/** What a run came to. */
export type RunResult = {
  /** `failed` never stands here: `result` rejects then. */
  status: 'done' | 'cancelled';
  /** The answer; of a cancelled run what was said of it. */
  text: string;
  reasoning: string;
  calls: { call: ToolCallPart; result: ToolResult }[];
  usage: Usage;
  /** US dollars; absent where a price or a usage is unknown. */
  cost?: number;
  /** Model requests made. */
  turns: number;
  /** What the run added to the conversation, the person's message first. */
  messages: Message[];
};

/** A run that failed: `code` says how, `partial` is what there was until then. */
export class RunFailed extends ToolyardError {
  readonly partial: Omit<RunResult, 'status'>;

  constructor(error: ErrorInfo, partial: Omit<RunResult, 'status'>) {
    super(error);
    this.name = 'RunFailed';
    this.partial = partial;
  }
}

/** The journal and the signal of a run. */
type RunParts = { journal: RunJournal; signal: AbortSignal };

export type AgentRunOptions = {
  id: string;
  limits: RunLimits;
  clock: Clock;
  ids: IdSource;
  conversation: MemoryConversation;
  /** Where the messages of this run begin in the conversation. */
  firstMessage: number;
  /** What the run begins with. */
  context: AgentContext;
  host: (parts: RunParts) => Pick<DriveOptions, 'brain' | 'executors' | 'refresh' | 'count'>;
  /** Called with the journal before the first step. */
  onStart: (journal: RunJournal) => void;
  signal?: AbortSignal | undefined;
  failpoint?: Failpoint | undefined;
  onDefect?: (thrown: unknown) => void;
};

/**
 * One execution of an agent. It goes on whether or not anybody reads its events; leaving a `for await` early does not
 * stop it, {@link cancel} or the signal does.
 *
 * @example
 * const run = agent.run('What time is it in Tokyo?');
 * for await (const event of run) if (event.type === 'text_delta') process.stdout.write(event.text);
 * const { text, usage } = await run.result;
 */
export class AgentRun implements AsyncIterable<RunEvent> {
  readonly id: string;
  /**
   * Settles when the run is over: rejects with {@link RunFailed} if it failed. Need not be awaited.
   */
  readonly result: Promise<RunResult>;
  readonly #events = new EventQueue();
  readonly #stop = new AbortController();
  #ending: Ending | null = null;
  #isOver = false;
  readonly #said: UserPart[][] = [];

  constructor(options: AgentRunOptions) {
    this.id = options.id;
    this.result = this.#execute(options);
    // Whoever only reads the events learns of a failure there.
    this.result.catch(() => {});
  }

  /** Stops the run within the current step; what was said is kept. */
  cancel(): void {
    this.#end({ status: 'cancelled' });
  }

  /**
   * Says something to the run while it is under way: it stands in the conversation before the next step, never between a
   * call and its result. False where the run is over, and nothing was said.
   */
  steer(input: string | UserPart[]): boolean {
    if (this.#isOver) return false;
    this.#said.push(typeof input === 'string' ? [{ type: 'text', text: input }] : input);
    return true;
  }

  /** What was said and the run ended before it could be heard. */
  get unheard(): readonly UserPart[][] {
    return this.#said;
  }

  #hear({ conversation, clock, ids }: AgentRunOptions, journal: RunJournal): Heard {
    if (this.#said.length === 0) return null;
    return () => {
      for (const parts of this.#said.splice(0)) {
        const { leafId: parentId } = conversation;
        const message: UserMessage = { id: ids.next(), parentId, createdAt: clock.now(), role: 'user', parts };
        conversation.add(message);
        journal.append({ type: 'steered', message });
      }
    };
  }

  [Symbol.asyncIterator](): AsyncIterator<RunEvent, undefined> {
    return this.#events.read();
  }

  #end(ending: Ending): void {
    if (this.#ending) return;
    this.#ending = ending;
    this.#stop.abort();
  }

  async #execute(options: AgentRunOptions): Promise<RunResult> {
    const { clock, conversation, limits, signal } = options;
    const onAbort = (): void => this.cancel();
    const cancelTimer =
      limits.maxWallTimeMs === undefined
        ? undefined
        : clock.after(limits.maxWallTimeMs, () => this.#end({ status: 'failed', error: timeLimitExceeded(limits) }));
    if (signal?.aborted) this.cancel();
    signal?.addEventListener('abort', onAbort, { once: true });

    const journal = createMemoryJournal({ runId: this.id, clock, publish: (event) => this.#events.push(event) });
    const state = initialState({ runId: this.id, conversationId: conversation.id, startedAt: clock.now(), limits });
    let at;
    try {
      options.onStart(journal);
      at = await driveRun({
        point: { state, context: options.context },
        hear: () => this.#hear(options, journal),
        ...options.host({ journal, signal: this.#stop.signal }),
        journal,
        stopRequested: () => this.#ending,
        failpoint: options.failpoint,
        onDefect: options.onDefect,
      });
    } finally {
      this.#isOver = true;
      cancelTimer?.();
      signal?.removeEventListener('abort', onAbort);
      this.#events.end();
    }

    const messages = conversation.messages().slice(options.firstMessage);
    const told = { ...summarise(messages), usage: at.state.usage, turns: at.state.turns, messages };
    const whole = at.state.cost === null ? told : { ...told, cost: at.state.cost };
    const ending = at.context.phase === 'ending' ? at.context.ending : null;
    if (ending?.status === 'failed') throw new RunFailed(ending.error, whole);
    return { status: ending?.status ?? 'done', ...whole };
  }
}

/** Why a run ended that took all the time it may. */
export function timeLimitExceeded(limits: RunLimits): ErrorInfo {
  return {
    code: 'time_limit_exceeded',
    message: `The run took longer than the ${((limits.maxWallTimeMs ?? 0) / 1000).toFixed(0)} s it may take.`,
    hint: 'Raise the limit of time, or ask for less at once.',
  };
}

function summarise(messages: readonly Message[]): Pick<RunResult, 'text' | 'reasoning' | 'calls'> {
  let text = '';
  let reasoning = '';
  const calls: RunResult['calls'] = [];
  const results = new Map<string, ToolResult>();
  for (const message of messages) {
    if (message.role === 'tool') results.set(message.parts[0].callId, message.parts[0].result);
  }
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    // Text beside tool calls is the model thinking aloud; the last word is the answer.
    text = textOf(message);
    for (const part of message.parts) {
      if (part.type === 'reasoning') reasoning += part.text;
      if (part.type !== 'tool_call') continue;
      const result = results.get(part.callId);
      if (result) calls.push({ call: part, result });
    }
  }
  return { text, reasoning, calls };
}
