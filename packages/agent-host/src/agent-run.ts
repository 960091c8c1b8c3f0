import type {
  Clock,
  ErrorInfo,
  Failpoint,
  IdSource,
  Message,
  RunEvent,
  RunJournal,
  ToolCallPart,
  ToolResult,
  Usage,
  UserPart,
} from '@toolyard/protocol';
import { defined, textOf, ToolyardError } from '@toolyard/protocol';
import type { RunPoint } from '@toolyard/agent-runtime';
import type { DriveOptions, SteeringMessage } from './drive-run.ts';
import { driveRun } from './drive-run.ts';
import { EventQueue } from './event-queue.ts';
import { createMemoryJournal } from './in-memory/journal.ts';
import type { MemoryConversation } from './in-memory/conversation.ts';
import { RunControl } from './run-control.ts';
import { addSteering } from './steering.ts';

/** The result of a run. */
export type RunResult = {
  /** A run that failed has no result: `result` rejects. */
  status: 'done' | 'cancelled';
  /** The answer; of a cancelled run, the part that was written. */
  text: string;
  reasoning: string;
  calls: { call: ToolCallPart; result: ToolResult }[];
  usage: Usage;
  /** US dollars; absent if a price or a usage is unknown. */
  cost?: number;
  /** Model requests made. */
  turns: number;
  /** The messages the run added to the conversation, the user's message first. */
  messages: Message[];
};

/**
 * A run that failed: `code` is the reason, `partial` the result until then.
 *
 * @example
 * try {
 *   await agent.run('Count to a thousand.').result;
 * } catch (error) {
 *   if (error instanceof RunFailed) console.log(error.code, error.partial.text);
 * }
 */
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
  /** Where the run begins or is resumed. */
  point: RunPoint;
  /** Set for a run that is resumed: the attempt of its step that ended with its process. */
  interrupted?: { seq: number; attempt: number } | undefined;
  /** Stores the run after each step; absent: it ends with its process. */
  save?: ((saved: { point: RunPoint; seq: number; attempt: number }) => Promise<void>) | undefined;
  clock: Clock;
  ids: IdSource;
  conversation: MemoryConversation;
  /** The index of the first message of this run in the conversation. */
  firstMessage: number;
  host: (parts: RunParts) => Pick<DriveOptions, 'brain' | 'executors' | 'refresh' | 'count'>;
  /** Called with the journal before the first step. */
  onStart: (journal: RunJournal) => void;
  signal?: AbortSignal | undefined;
  failpoint?: Failpoint | undefined;
  onDefect?: (thrown: unknown) => void;
};

/**
 * One execution of an agent. It continues whether or not its events are read; leaving a `for await` early does not stop
 * it, {@link cancel} or the signal does.
 *
 * @example
 * const run = agent.run('What time is it in Tokyo?');
 * for await (const event of run) if (event.type === 'text_delta') process.stdout.write(event.text);
 * const { text, usage } = await run.result;
 */
export class AgentRun implements AsyncIterable<RunEvent> {
  readonly id: string;
  /**
   * Settles when the run has ended; rejects with {@link RunFailed} if it failed. Need not be awaited.
   */
  readonly result: Promise<RunResult>;
  readonly #events = new EventQueue();
  readonly #control: RunControl;
  #isOver = false;
  readonly #steers: UserPart[][] = [];

  constructor(options: AgentRunOptions) {
    this.id = options.point.state.runId;
    this.#control = new RunControl(options.clock);
    this.result = this.#execute(options);
    // A caller that only reads the events gets the failure there.
    this.result.catch(() => {});
  }

  /** Stops the run within the current step; the partial answer is kept. */
  cancel(): void {
    this.#control.end({ status: 'cancelled' });
  }

  /**
   * Sends a message to the run in progress: it is added to the conversation before the next step, never between a call
   * and its result. False if the run is over; the message is not sent.
   */
  steer(input: string | UserPart[]): boolean {
    if (this.#isOver) return false;
    this.#steers.push(typeof input === 'string' ? [{ type: 'text', text: input }] : input);
    return true;
  }

  /** Messages sent with {@link steer} that the run ended without. */
  get undelivered(): readonly UserPart[][] {
    return this.#steers;
  }

  #pollSteering({ conversation, clock, ids }: AgentRunOptions, journal: RunJournal): SteeringMessage {
    if (this.#steers.length === 0) return null;
    return () => {
      for (const parts of this.#steers.splice(0)) {
        addSteering({ conversation, journal, clock }, { id: ids.next(), parts });
      }
    };
  }

  [Symbol.asyncIterator](): AsyncIterator<RunEvent, undefined> {
    return this.#events.read();
  }

  async #execute(options: AgentRunOptions): Promise<RunResult> {
    const { clock, conversation, point, interrupted, signal } = options;
    const control = this.#control;
    const onAbort = (): void => this.cancel();
    if (signal?.aborted) this.cancel();
    signal?.addEventListener('abort', onAbort, { once: true });

    const journal = createMemoryJournal({
      runId: this.id,
      clock,
      publish: (event) => this.#events.push(event),
      ...defined({ save: options.save }),
      ...(interrupted ? { interrupted: { ...interrupted, step: point.state.step } } : {}),
    });
    control.startTime(point.state);
    let at;
    try {
      options.onStart(journal);
      const stored = journal.commit(point);
      if (stored) await stored;
      at = await driveRun({
        point,
        pollSteering: () => this.#pollSteering(options, journal),
        ...options.host({ journal, signal: control.signal }),
        journal,
        stopRequested: () => control.ending,
        failpoint: options.failpoint,
        onDefect: options.onDefect,
      });
    } finally {
      this.#isOver = true;
      control.endTime();
      signal?.removeEventListener('abort', onAbort);
      this.#events.end();
    }

    const messages = conversation.messages().slice(options.firstMessage);
    const { usage, turns, cost } = at.state;
    const whole = { ...summarise(messages), usage, turns, messages, ...(cost === null ? {} : { cost }) };
    const ending = at.context.phase === 'ending' ? at.context.ending : null;
    if (ending?.status === 'failed') throw new RunFailed(ending.error, whole);
    return { status: ending?.status ?? 'done', ...whole };
  }
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
    // Text beside tool calls is not the answer; the last text is.
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
