import { loadConversation } from './load-conversation.ts';
import type { CommitPump } from '@toolyard/agent-host/durable';
import {
  LiveQuestions,
  DurableJournal,
  RunLedger,
  RunLost,
  RunSteering,
  RunTime,
  RunWriter,
} from '@toolyard/agent-host/durable';
import type { AskQuestion } from '@toolyard/agent-host';
import { driveRun, timeLimitExceeded } from '@toolyard/agent-host';
import type { Ending, RunPoint } from '@toolyard/agent-runtime';
import type { Clock, Failpoint, InterruptAnswer, LeasedRun, Owner, RunStatus, UserPart } from '@toolyard/protocol';
import { HANDED_ON, isStorageFault, toErrorInfo } from '@toolyard/protocol';
import { mediaToBlobs } from '@toolyard/storage';
import type { SharedStorage } from '@toolyard/storage';
import type { LiveHub } from '../services.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { failOutright } from './fail-outright.ts';
import type { OpenedHost, RunHostParts, RunHostServices } from './run-host-parts.ts';
import { openEndingHost, openRunHost } from './run-host-parts.ts';
import { readWishes } from './run-inbox.ts';
import { partsInPlace } from './run-media.ts';
import { readStoredRun } from './stored-run.ts';
import { takeUp } from './take-up.ts';

export type RunWorkerServices = RunHostServices & {
  storage: Pick<SharedStorage, 'runs' | 'messages' | 'blobs' | 'permissions' | 'queue' | 'requestPreludes' | 'usage'>;
  pump: CommitPump;
  hub: Pick<LiveHub, 'changed'>;
  clock: Clock;
  log: (line: string) => void;
  telemetry?: Pick<Telemetry, 'took'>;
  failpoint?: Failpoint;
};

/**
 * How this process came to the end of its work on a run. `rested`: it waits for a person; `inboxWaits`: and was told
 * something in the same moment. `lost`: it is not this process's any more.
 */
export type WorkResult =
  | { end: 'over'; status: RunStatus; sendNext: string | null }
  | { end: 'rested'; inboxWaits: boolean }
  | { end: 'lost'; lost: RunLost };

/** How long what has been aborted may take to notice; nothing is written any more. */
const LAST_WORDS_MS = 500;

/** One run while this process holds its lease: taken up, driven, brought to its end or to its rest. */
export class RunWorker {
  readonly run: LeasedRun;
  readonly result: Promise<WorkResult>;
  readonly #services: RunWorkerServices;
  readonly #principal: Owner;
  readonly #abort = new AbortController();
  readonly #writer: RunWriter;
  #ledger: RunLedger | null = null;
  #ending: Ending | null = null;
  #cancels: readonly string[] = [];
  #sendNext: string | null = null;
  #leaving = false;
  #time: RunTime | null = null;
  readonly #questions = new LiveQuestions();
  readonly #steering = new RunSteering();

  constructor(run: LeasedRun, services: RunWorkerServices) {
    this.run = run;
    this.#services = services;
    this.#principal = { ownerId: run.ownerId };
    const { pump, clock, storage } = services;
    this.#writer = new RunWriter({
      run,
      pump,
      clock,
      keepMedia: (value) =>
        mediaToBlobs(value, (bytes, mimeType) =>
          storage.blobs.put(this.#principal, bytes, { mimeType, at: clock.now() }),
        ),
      // Whoever takes the run up goes on with what its servers do by themselves.
      onLost: () => this.#abort.abort(HANDED_ON),
    });
    this.result = this.#work();
  }

  /** Looks at what others have said to the run. Throws where the store does. */
  async listen(): Promise<void> {
    const items = await this.#services.storage.runs.readInbox(this.run.id, this.run.fence);
    if (items === null) return;
    const { cancels, sendNext, answers, steers } = readWishes(items);
    this.#steering.listen(steers);
    const taken = this.#questions.give(answers);
    if (taken.length > 0) this.#writer.keep({ taken });
    this.#cancels = cancels;
    this.#sendNext = sendNext ?? this.#sendNext;
    if (cancels.length > 0 || sendNext !== null) this.#end({ status: 'cancelled' });
  }

  /** Somebody else has the run: nothing of this process counts any more. */
  drop(): void {
    this.#writer.lose(new RunLost('stale', 'the lease was lost'));
  }

  /**
   * Leaves the run to the next process: after the tool calls under way, but for `callMs` at most; a model's answer is
   * left as it is. Resolves when nothing is written any more.
   */
  async letGo(callMs: number): Promise<void> {
    this.#leaving = true;
    if (this.#ledger?.callsUnderWay) await this.#settledWithin(callMs);
    const left = Promise.withResolvers<void>();
    // A call sent while the last is written would be in doubt for nothing.
    this.#ledger?.leave(left.promise);
    // What was streamed so far is kept: the next process marks it.
    await this.#writer.flushed().catch(() => {});
    this.#writer.lose(new RunLost('let_go', 'this process stops'));
    left.resolve();
    await this.#settledWithin(LAST_WORDS_MS);
  }

  #settledWithin(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#services.clock.after(ms, resolve);
      void this.result.finally(() => {
        cancel();
        resolve();
      });
    });
  }

  #end(ending: Ending): void {
    if (this.#ending) return;
    this.#ending = ending;
    this.#abort.abort();
  }

  async #work(): Promise<WorkResult> {
    try {
      return await this.#takeUpAndDrive();
    } catch (thrown) {
      const lost = isStorageFault(thrown) ? storeFailed(thrown) : thrown;
      if (!(lost instanceof RunLost) || lost.reason === 'invalid') return await this.#failOutright(thrown);
      return { end: 'lost', lost };
    } finally {
      this.#time?.end();
    }
  }

  async #takeUpAndDrive(): Promise<WorkResult> {
    const { run } = this;
    const { storage, clock, failpoint } = this.#services;
    const stored = readStoredRun(run);
    const { configuration, steers = [] } = stored;
    this.#steering.carry(steers);
    this.#services.telemetry?.took(run, configuration);
    const conversation = await loadConversation(storage, this.#principal, {
      conversationId: run.conversationId,
      runId: run.id,
      instructions: configuration.instructions,
      leafId: stored.leafId,
      shownId: stored.shownId,
      writer: this.#writer,
    });
    const entries = (await storage.runs.readLedger(this.#principal, run.id)) ?? [];
    const inbox = (await storage.runs.readInbox(run.id, run.fence)) ?? [];
    await this.listen();
    const { modelId: model, providerId } = configuration.model;
    const taken = await takeUp({
      run,
      point: stored.point,
      store: storage.runs,
      writer: this.#writer,
      conversation,
      clock,
      model,
      providerId,
      wishes: readWishes(inbox),
      steers,
      ending: this.#ending,
    });
    if (taken.rests) return { end: 'rested', inboxWaits: taken.inboxWaits };

    const { point, attempt } = taken;
    this.#limitTime(point);
    const writer = this.#writer;
    const ledger = new RunLedger(entries, { runId: run.id, writer, clock, ...(failpoint ? { failpoint } : {}) });
    this.#ledger = ledger;
    const { step } = point.state;
    const journal = new DurableJournal({
      runId: run.id,
      model,
      writer,
      conversation,
      ledger,
      clock,
      step,
      attempt,
      taken: () => this.#cancels,
      steers: () => this.#steering.carried,
    });
    const message = conversation.question;
    if (run.lastSeq === 0 && message) {
      journal.append({ type: 'run_started', conversationId: conversation.id, place: 'server', model, message });
    }
    const last = await this.#drive(point, {
      principal: this.#principal,
      runId: run.id,
      agentId: run.agentId,
      // After the clock was set back a run's beginning lies ahead, and no tab was seen since then.
      begunAt: Math.min(run.createdAt, clock.now()),
      configuration,
      conversation,
      journal,
      ledger,
      clock,
      signal: this.#abort.signal,
      askNow: (interrupt, options) => this.#askNow(interrupt, options),
      used: (entry) => writer.used(entry),
      onDefect: (thrown) => this.#onDefect(thrown),
    });
    if (last.state.status === 'parked') return { end: 'rested', inboxWaits: journal.saved.inboxWaits };
    return { end: 'over', status: last.state.status, sendNext: this.#sendNext };
  }

  async #drive(point: RunPoint, parts: RunHostParts): Promise<RunPoint> {
    const { failpoint } = this.#services;
    const host = await this.#openHost(parts);
    const { conversation, journal } = parts;
    const { storage, clock, hub } = this.#services;
    const find = async (id: string): Promise<{ parts: UserPart[]; readable: UserPart[] } | null> => {
      const queued = await storage.queue.get(parts.principal, conversation.id, id);
      if (!queued) return null;
      const { parts: said } = queued;
      return { parts: said, readable: await partsInPlace(said, storage.blobs, parts.principal) };
    };
    const steering = { find, conversation, journal, writer: this.#writer, clock };
    return driveRun({
      point,
      journal: parts.journal,
      ...host,
      stopRequested: () => this.#ending,
      hear: async () => {
        const say = await this.#steering.hear(steering);
        return (
          say &&
          ((): void => {
            say();
            hub.changed(this.run.ownerId, 'queue', conversation.id);
          })
        );
      },
      // Between two steps nothing is open: the place to leave.
      failpoint: async (place) => {
        if (this.#leaving) throw new RunLost('let_go', 'this process stops');
        await failpoint?.(place);
      },
      onDefect: parts.onDefect,
    });
  }

  /** A store that fails is no end of the run: it is taken up again where it stands. */
  #onDefect(thrown: unknown): void {
    if (isStorageFault(thrown)) this.#writer.lose(storeFailed(thrown));
    else if (!(thrown instanceof RunLost)) this.#services.log(`run ${this.run.id}: ${describe(thrown)}`);
  }

  /** A model or a server that is gone is the end of the run, told as its error; a store that fails is not. */
  async #openHost(parts: RunHostParts): Promise<OpenedHost> {
    if (this.#ending) return openEndingHost(parts);
    try {
      const host = await openRunHost(parts, this.#services);
      if (!parts.signal.aborted) return host;
    } catch (thrown) {
      if (isStorageFault(thrown)) throw thrown;
      if (!parts.signal.aborted) this.#end({ status: 'failed', error: toErrorInfo(thrown) });
    }
    return openEndingHost(parts);
  }

  #limitTime({ state: { limits, startedAt } }: RunPoint): void {
    if (limits.maxWallTimeMs === undefined) return;
    const { clock } = this.#services;
    // A clock that was turned back gives nobody more time than there is.
    const left = Math.min(limits.maxWallTimeMs, startedAt + limits.maxWallTimeMs - clock.now());
    this.#time = new RunTime(clock, left, () => this.#end({ status: 'failed', error: timeLimitExceeded(limits) }));
  }

  /** Asks while a call is open. The time a person takes is none of the time the run may take. */
  async #askNow(...[interrupt, options]: Parameters<AskQuestion>): Promise<InterruptAnswer> {
    const { ownerId, conversationId } = this.run;
    const tell = (): void => this.#services.hub.changed(ownerId, 'interrupts', conversationId);
    const release = this.#time?.hold();
    this.#writer.flushed().then(tell, () => undefined);
    try {
      return await this.#questions.ask(interrupt, options);
    } catch (thrown) {
      this.#writer.flushed().then(tell, () => undefined);
      throw thrown;
    } finally {
      release?.();
    }
  }

  /** Nothing can be made of the run, or of what it wanted to write: it ends here, and says so. */
  async #failOutright(thrown: unknown): Promise<WorkResult> {
    const error = toErrorInfo(thrown);
    const { pump, clock, storage, log } = this.#services;
    log(`run ${this.run.id}: ${describe(thrown)}`);
    this.#writer.lose(new RunLost('invalid', 'the run has failed'));
    try {
      await failOutright({ run: this.run, baseSeq: this.#writer.storedSeq, error, pump, clock, storage });
      return { end: 'over', status: 'failed', sendNext: null };
    } catch (again) {
      return { end: 'lost', lost: again instanceof RunLost ? again : new RunLost('engine', describe(again)) };
    }
  }
}

function storeFailed(cause: unknown): RunLost {
  return new RunLost('engine', 'the store failed', { cause });
}

function describe(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}
