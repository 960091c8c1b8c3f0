import type { Ending, RunPoint } from '@toolyard/agent-runtime';
import type {
  AskedBy,
  AssistantMessage,
  Clock,
  ErrorInfo,
  Failpoint,
  InterruptAnswer,
  LedgerEntry,
  Message,
  ModelReference,
  RunLocation,
  ResolvedAgentConfiguration,
  RunStatus,
} from '@toolyard/protocol';
import { defined, isStorageFault, toErrorInfo } from '@toolyard/protocol';
import type { RunAccess } from '../create-run-host.ts';
import { createRunHost } from '../create-run-host.ts';
import type { SteeringMessage } from '../drive-run.ts';
import { driveRun } from '../drive-run.ts';
import { RunControl } from '../run-control.ts';
import type { AskServerInterrupt, RunHost, ServerInterruptMode } from '../run-host.ts';
import type { CommitPump } from './commit-pump.ts';
import { DurableJournal } from './durable-journal.ts';
import { LiveInterrupts } from './live-interrupts.ts';
import { RunConversation, emptyAnswer } from './run-conversation.ts';
import type { StepStamp } from './run-draft.ts';
import { RunLedger } from './run-ledger.ts';
import { RunLost } from './run-lost.ts';
import type { FindQueued, SteeringItem } from './run-steering.ts';
import { RunSteering } from './run-steering.ts';
import type { RunWriterOptions } from './run-writer.ts';
import { RunWriter } from './run-writer.ts';
import type { StoredRun } from './stored-run.ts';

type DurableRunOptions = {
  run: RunWriterOptions['run'];
  pump: CommitPump;
  clock: Clock;
  keepMedia: RunWriterOptions['keepMedia'];
  keepResult?: RunHost['keepResult'];
  /** Called when an interrupt of a server is stored or withdrawn. */
  onInterruptChange?: () => void;
  failpoint?: Failpoint | undefined;
};

/** What was sent to the run since the last poll. */
type RunMessages = {
  /** True if the run is to be cancelled. */
  stops: boolean;
  /** Inbox items that the end of the run applies. */
  cancels: readonly string[];
  answers: readonly { itemId: string; interruptId: string; answer: InterruptAnswer }[];
  steers: readonly Required<SteeringItem>[];
};

/** Model and tools of a run. A process that keeps interrupts open seals nothing. */
export type DurableAccess = RunAccess & {
  sealing?: Pick<Extract<ServerInterruptMode, { mode: 'park' }>, 'seal' | 'open'>;
};

type ExecutionOptions = {
  configuration: ResolvedAgentConfiguration & { model: ModelReference };
  /** The owner, if the connections to servers are shared by several. */
  principal?: string | undefined;
  /** The program that started the run. */
  askedBy?: AskedBy | undefined;
  place: RunLocation;
  /** Where the run continues, and which attempt of its step begins. */
  point: RunPoint;
  attempt: number;
  conversation: RunConversation;
  ledger: readonly LedgerEntry[];
  /** Called between two steps before the run looks for steering messages. */
  poll?: () => Promise<void>;
  findQueued: FindQueued;
  /** Called when a steering message was added to the conversation. */
  onSteered?: () => void;
  /** Called before each step; throws to stop here. */
  beforeStep?: () => void;
  onDefect?: ((thrown: unknown) => void) | undefined;
};

/** A run that has begun: its holder opens model and tools, and the run is driven with them. */
type Execution = {
  /** Aborted when the run has to stop. */
  signal: AbortSignal;
  /** Reports servers that opening the tools waits for. */
  onAwaited: (serverIds: string[]) => void;
  /**
   * Executes steps until the run is over or parked. If opening fails, the run fails, except for storage errors. Rejects
   * with `RunLost`.
   *
   * @param opening null if the run only has to end
   */
  drive: (opening: Promise<DurableAccess> | null) => Promise<DriveResult>;
};

/** `inboxWaits`: the run is parked, but received an inbox item at the same time. */
type DriveResult = { status: RunStatus; inboxWaits: boolean };

/** Where a run stopped that cannot continue, and the message that is shown instead of its answer. */
export type StoppedRun = {
  stamp: StepStamp;
  placeholder: (Pick<AssistantMessage, 'id' | 'model' | 'agent'> & { parentId: string }) | null;
};

/**
 * A durable run while its process (server or tab) holds the lease: everything that both have in common.
 *
 * @example
 * const durable = new DurableRun({ run, pump, clock: systemClock, keepMedia: (value) => Promise.resolve(value) });
 * durable.receive({ stops: true, cancels: ['item'], answers: [], steers: [] });
 */
export class DurableRun {
  readonly writer: RunWriter;
  readonly steering = new RunSteering();
  readonly #options: DurableRunOptions;
  readonly #control: RunControl;
  readonly #interrupts = new LiveInterrupts();
  #ledger: RunLedger | null = null;
  #cancels: readonly string[] = [];
  #isLost = false;

  constructor(options: DurableRunOptions) {
    this.#options = options;
    this.#control = new RunControl(options.clock);
    this.writer = new RunWriter({
      ...options,
      onLost: () => {
        this.#isLost = true;
        this.#control.continueElsewhere();
      },
    });
  }

  get ending(): Ending | null {
    return this.#control.ending;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** The calls of the run; null until it is driven. */
  get ledger(): RunLedger | null {
    return this.#ledger;
  }

  /** The branch of the run; `messages` are its stored messages in a form that models can read. */
  openConversation(
    { instructions, leafId, shownId }: Pick<StoredRun, 'leafId' | 'shownId'> & { instructions: string },
    messages: readonly Message[],
  ): RunConversation {
    const { id: runId, conversationId } = this.#options.run;
    return new RunConversation({ conversationId, runId, instructions, leafId, shownId, writer: this.writer }, messages);
  }

  receive({ stops, cancels, answers, steers }: RunMessages): void {
    this.steering.listen(steers);
    const taken = this.#interrupts.deliver(answers);
    if (taken.length > 0) this.writer.keep({ taken }, 'later');
    this.#cancels = cancels;
    if (stops) this.#control.end({ status: 'cancelled' });
  }

  /**
   * Ends a run that cannot continue: its state is unreadable, or its commit was rejected. Needs only stored data.
   * Rejects with `RunLost`.
   */
  async fail(error: ErrorInfo, read: (storedSeq: number) => Promise<StoppedRun>): Promise<void> {
    this.writer.lose(new RunLost('invalid', 'the run has failed'));
    const { run } = this.#options;
    const { storedSeq: lastSeq } = this.writer;
    const writer = new RunWriter({ ...this.#options, run: { ...run, lastSeq }, onLost: () => undefined });
    const { stamp, placeholder } = await read(lastSeq);
    if (placeholder) {
      const message = emptyAnswer({ ...placeholder, runId: run.id, createdAt: this.#options.clock.now(), error });
      writer.message(message, null);
      writer.event({ type: 'message_finished', message }, stamp, 'later');
    }
    writer.event({ type: 'run_finished', status: 'failed', usage: {}, error }, stamp, 'later');
    await writer.save({ status: 'failed' });
  }

  /** Begins to execute: the first event of a new run, and its time. */
  begin(options: ExecutionOptions): Execution {
    const { run, clock, failpoint } = this.#options;
    const { point, conversation, attempt, place } = options;
    const { writer } = this;
    const { agent, model: reference } = options.configuration;
    const { modelId: model } = reference;
    const of = { runId: run.id, writer, clock };
    const ledger = new RunLedger(options.ledger, { ...of, failpoint });
    this.#ledger = ledger;
    const journal = new DurableJournal({
      ...of,
      model,
      ...defined({ agent, askedBy: options.askedBy }),
      conversation,
      ledger,
      step: point.state.step,
      attempt,
      taken: () => this.#cancels,
      steers: () => this.steering.unclaimed,
    });
    const message = conversation.userMessage;
    if (run.lastSeq === 0 && message) {
      journal.append({ type: 'run_started', conversationId: conversation.id, place, model, message });
      // A run that begins with calls: the message that requests them was stored with the run.
      const last = conversation.messages().at(-1);
      if (last?.role === 'assistant' && point.state.pending.length > 0) {
        journal.append({ type: 'message_finished', message: last });
      }
    }
    this.#control.startTime(point.state);
    return {
      signal: this.#control.signal,
      onAwaited: (servers) => journal.append({ type: 'servers_awaited', servers }),
      drive: (opening) => this.#drive(options, opening, journal, ledger),
    };
  }

  async #drive(
    options: ExecutionOptions,
    opening: Promise<DurableAccess> | null,
    journal: DurableJournal,
    ledger: RunLedger,
  ): Promise<DriveResult> {
    const { failpoint } = this.#options;
    try {
      const access = await this.#opened(opening);
      const { state } = await driveRun({
        point: options.point,
        journal,
        ...this.#createHost(options, access, journal, ledger),
        stopRequested: () => this.#control.ending,
        pollSteering: () => this.#pollSteering(options, journal),
        failpoint: async (at) => {
          options.beforeStep?.();
          await failpoint?.(at);
        },
        onDefect: options.onDefect,
      });
      return { status: state.status, inboxWaits: journal.saved.inboxWaits };
    } finally {
      this.#control.endTime();
    }
  }

  #createHost(
    { configuration, principal, conversation, onDefect }: ExecutionOptions,
    access: DurableAccess | null,
    journal: DurableJournal,
    ledger: RunLedger,
  ): ReturnType<typeof createRunHost> {
    const { signal } = this.#control;
    const isHeadless = configuration.intervention === 'headless';
    return createRunHost(
      {
        configuration,
        modelId: configuration.model.modelId,
        providerId: configuration.model.providerId,
        principal,
        conversation,
        journal,
        ledger,
        clock: this.#options.clock,
        signal,
        approvalMode: isHeadless ? { mode: 'decline' } : { mode: 'park' },
        interrupts: isHeadless || !access ? { mode: 'decline' } : this.#interruptMode(access),
        used: (entry) => this.writer.used(entry),
        keepResult: this.#options.keepResult,
        usageStored: () => this.writer.modelUsageStored(),
        onDefect,
      },
      access,
    );
  }

  /** Null if the run only has to end. An unavailable model or server fails the run; a storage error does not. */
  async #opened(opening: Promise<DurableAccess> | null): Promise<DurableAccess | null> {
    const { signal } = this.#control;
    try {
      const access = await opening;
      return signal.aborted || !access ? null : this.#countStored(access);
    } catch (thrown) {
      if (isStorageFault(thrown)) throw thrown;
      if (!signal.aborted) this.#control.end({ status: 'failed', error: toErrorInfo(thrown) });
      return null;
    }
  }

  /** Usage outside the run is read from storage: what the run has used itself must be stored before. */
  #countStored(access: DurableAccess): DurableAccess {
    const { budgets } = access;
    const isStored = budgets?.budgets.some(({ of }) => of !== 'run' && of !== 'turn') || budgets?.ofParents;
    if (!budgets || !isStored) return access;
    const refresh = async (): Promise<void> => {
      await this.writer.flushed();
      await budgets.refresh();
    };
    return { ...access, budgets: { ...budgets, refresh } };
  }

  #interruptMode({ sealing }: DurableAccess): ServerInterruptMode {
    const ask: AskServerInterrupt = (...asked) => this.#ask(...asked);
    return sealing ? { mode: 'park', ask, ...sealing } : { mode: 'ask', ask };
  }

  async #pollSteering(
    { conversation, poll, findQueued, onSteered }: ExecutionOptions,
    journal: DurableJournal,
  ): Promise<SteeringMessage> {
    await poll?.();
    const { writer } = this;
    const { clock } = this.#options;
    const add = await this.steering.poll({ find: findQueued, conversation, journal, writer, clock });
    return (
      add &&
      ((): void => {
        add();
        onSteered?.();
      })
    );
  }

  /** Asks while a call is open. Time waiting for the user does not count towards the time limit of the run. */
  async #ask(...[interrupt, options]: Parameters<AskServerInterrupt>): Promise<InterruptAnswer> {
    const release = this.#control.holdTime();
    this.#announceInterrupt();
    try {
      return await this.#interrupts.ask(interrupt, options);
    } catch (thrown) {
      this.#announceInterrupt();
      throw thrown;
    } finally {
      release();
    }
  }

  #announceInterrupt(): void {
    const { onInterruptChange } = this.#options;
    if (onInterruptChange) this.writer.flushed().then(onInterruptChange, () => undefined);
  }
}
