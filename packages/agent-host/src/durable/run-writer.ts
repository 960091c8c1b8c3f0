import type {
  Clock,
  CommitOutcome,
  Interrupt,
  InterruptAnswer,
  InterruptMode,
  LeasedRun,
  LedgerChange,
  Message,
  RunCommit,
  RunEventBody,
  UsageEntry,
} from '@toolyard/protocol';
import { defined, RUN_EVENT_VERSION } from '@toolyard/protocol';
import type { CommitPump, PumpSource, Urgency } from './commit-pump.ts';
import type { CommitDraft, SaveRequest, SaveOutcome, StepStamp, RunWrite } from './run-draft.ts';
import { emptyDraft, isEmpty, mergeDelta, needsMedia } from './run-draft.ts';
import { RunLost } from './run-lost.ts';

export type RunWriterOptions = {
  run: Pick<LeasedRun, 'id' | 'ownerId' | 'conversationId' | 'fence' | 'lastSeq' | 'updatedAt'>;
  pump: CommitPump;
  clock: Clock;
  /** Moves large media of a value to the blob store. */
  keepMedia: <T>(value: T) => Promise<T>;
  /** Called once, when the run can no longer be written. */
  onLost: (lost: RunLost) => void;
};

/**
 * Orders everything that one run writes: numbers its events, moves media to the blob store, and passes the rest to the
 * pump.
 */
export class RunWriter implements PumpSource {
  readonly #options: RunWriterOptions;
  #draft = emptyDraft();
  #inProgress: CommitDraft | null = null;
  #storedSeq: number;
  #lastSeq: number;
  #lastAt: number;
  /** Items that wait for media of an earlier one; null if there are none. */
  #held: RunWrite[] | null = null;
  #lost: RunLost | null = null;

  constructor(options: RunWriterOptions) {
    this.#options = options;
    this.#storedSeq = options.run.lastSeq;
    this.#lastSeq = options.run.lastSeq;
    this.#lastAt = options.run.updatedAt;
  }

  get ownerId(): string {
    return this.#options.run.ownerId;
  }

  /** Why the run can no longer be written; null as long as it can. */
  get lost(): RunLost | null {
    return this.#lost;
  }

  /** The seq of the last stored event. */
  get storedSeq(): number {
    return this.#storedSeq;
  }

  event(body: RunEventBody, stamp: StepStamp, urgency: Urgency): void {
    this.#write({ kind: 'event', body, stamp }, urgency);
  }

  /** Stored with or before the next save. */
  message(message: Message, leaf: { from: string | null; to: string } | null): void {
    this.#write({ kind: 'message', message, leaf }, null);
  }

  ledger(change: LedgerChange): void {
    this.#write({ kind: 'ledger', change }, 'later');
  }

  opened(interrupt: Interrupt, mode: InterruptMode): void {
    this.#write({ kind: 'opened', interrupt, mode }, null);
  }

  /** The run no longer waits for an answer. */
  withdrawn(id: string): void {
    this.#write({ kind: 'withdrawn', id }, null);
  }

  /** Answered inside the process, not over the API. */
  answered(id: string, answer: InterruptAnswer): void {
    this.#write({ kind: 'answered', id, answer }, null);
  }

  /** Usage of a completed call, stored with its result. */
  used(entry: UsageEntry): void {
    this.#write({ kind: 'used', entry }, 'later');
  }

  /** Resolves when the usage of all model requests so far is stored; undefined if it is. Rejects with {@link RunLost}. */
  modelUsageStored(): Promise<unknown> | undefined {
    const used = [...this.#draft.usage, ...(this.#inProgress?.usage ?? [])];
    const held = (this.#held ?? []).flatMap((write) => (write.kind === 'used' ? [write.entry] : []));
    return [...used, ...held].some(({ kind }) => kind === 'model') ? this.flushed() : undefined;
  }

  /** Stored with the next save, or when `urgency` says. */
  keep(save: SaveRequest, urgency: 'soon' | 'later'): void {
    this.#write({ kind: 'save', save }, urgency);
  }

  /** Resolves when this and everything before it is stored. Rejects with {@link RunLost}. */
  save(save: SaveRequest): Promise<SaveOutcome> {
    this.#write({ kind: 'save', save }, null);
    return this.flushed();
  }

  /** Resolves when all items so far are stored. Rejects with {@link RunLost}. */
  flushed(): Promise<SaveOutcome> {
    return new Promise((resolve, reject) => {
      if (this.#lost) reject(this.#lost);
      else this.#write({ kind: 'waiter', waiter: { resolve, reject } }, 'now');
    });
  }

  /** Stops writing; rejects for all waiting callers. */
  lose(lost: RunLost): void {
    if (this.#lost) return;
    this.#lost = lost;
    const held = (this.#held ?? []).flatMap((write) => (write.kind === 'waiter' ? [write.waiter] : []));
    const waiters = [...(this.#inProgress?.waiters ?? []), ...this.#draft.waiters, ...held];
    this.#draft = emptyDraft();
    this.#held = null;
    for (const { reject } of waiters) reject(lost);
    this.#options.onLost(lost);
  }

  collect(): RunCommit | null {
    const draft = this.#draft;
    if (this.#lost || isEmpty(draft)) {
      this.#draft = emptyDraft();
      for (const { resolve } of draft.waiters) resolve({ inboxWaits: false });
      return null;
    }
    this.#inProgress = draft;
    this.#draft = emptyDraft();
    const { id: runId, fence } = this.#options.run;
    const { events, messages, leaf, ledger, opened, answered, withdrawn, usage, save } = draft;
    const { state, status, taken, unqueued } = save;
    const rests = status !== undefined && status !== 'running';
    return {
      runId,
      fence,
      baseSeq: this.#storedSeq,
      events,
      durability: 'normal',
      ...(state ? { state } : {}),
      ...(status ? { status } : {}),
      ...(rests ? { release: true as const } : {}),
      ...(messages.length > 0 ? { messages } : {}),
      ...defined({ leaf }),
      ...(ledger.length > 0 ? { ledger } : {}),
      ...(usage.length > 0 ? { usage } : {}),
      ...(opened.length + answered.length + withdrawn.length > 0
        ? { interrupts: { opened, answered, withdrawn } }
        : {}),
      ...(taken?.length ? { taken } : {}),
      ...(unqueued?.length ? { unqueued } : {}),
    };
  }

  settled(outcome: CommitOutcome): void {
    const draft = this.#inProgress;
    if (!draft) return;
    switch (outcome.outcome) {
      case 'committed':
        this.#inProgress = null;
        this.#storedSeq = outcome.lastSeq;
        for (const { resolve } of draft.waiters) resolve({ inboxWaits: outcome.inboxWaits === true });
        return;
      case 'stale':
        this.lose(new RunLost('stale', 'another process holds this run'));
        return;
      case 'overtaken':
        this.lose(new RunLost('overtaken', 'an interrupt of this run was answered at the same time'));
        return;
      case 'invalid':
        this.lose(new RunLost('invalid', outcome.problem));
        return;
    }
  }

  failed(error: unknown): void {
    this.lose(new RunLost('engine', 'the store failed', { cause: error }));
  }

  #write(write: RunWrite, urgency: Urgency | null): void {
    if (this.#lost) return;
    if (this.#held) {
      this.#held.push(write);
    } else if (needsMedia(write)) {
      this.#held = [write];
      void this.#moveMedia();
    } else {
      this.#accept(write);
      if (urgency) this.#options.pump.need(this, urgency);
    }
  }

  /** In order: later items wait, so that no reader gets a later event first. */
  async #moveMedia(): Promise<void> {
    try {
      for (let write = this.#held?.shift(); write; write = this.#held?.shift()) {
        this.#accept(needsMedia(write) ? await this.#options.keepMedia(write) : write);
      }
    } catch (error) {
      this.failed(error);
      return;
    }
    this.#held = null;
    if (!this.#lost) this.#options.pump.need(this, 'now');
  }

  #accept(write: RunWrite): void {
    const draft = this.#draft;
    switch (write.kind) {
      case 'event':
        this.#acceptEvent(write.body, write.stamp);
        return;
      case 'message':
        draft.messages.push({ conversationId: this.#options.run.conversationId, message: write.message });
        if (write.leaf) draft.leaf = { from: draft.leaf ? draft.leaf.from : write.leaf.from, to: write.leaf.to };
        return;
      case 'ledger':
        draft.ledger.push(write.change);
        return;
      case 'opened':
        draft.opened.push({ interrupt: write.interrupt, mode: write.mode });
        return;
      case 'withdrawn':
        draft.withdrawn.push(write.id);
        return;
      case 'answered':
        draft.answered.push({ id: write.id, answer: write.answer });
        return;
      case 'used':
        draft.usage.push(write.entry);
        return;
      case 'save':
        draft.save = {
          ...draft.save,
          ...write.save,
          taken: [...(draft.save.taken ?? []), ...(write.save.taken ?? [])],
          unqueued: [...(draft.save.unqueued ?? []), ...(write.save.unqueued ?? [])],
        };
        return;
      case 'waiter':
        draft.waiters.push(write.waiter);
        return;
    }
  }

  #acceptEvent(body: RunEventBody, { step, attempt }: StepStamp): void {
    const { events } = this.#draft;
    if (mergeDelta(events.at(-1), body)) return;
    const { clock, run } = this.#options;
    const seq = ++this.#lastSeq;
    // If the clock was set back, the time of the run stays the same until the clock has caught up.
    this.#lastAt = Math.max(this.#lastAt, clock.now());
    events.push({ v: RUN_EVENT_VERSION, seq, runId: run.id, step, attempt, at: this.#lastAt, ...body });
  }
}
