import type { RunLost } from '@toolyard/agent-host/durable';
import type { Failpoint, LeasedRun, LeaseTerms, RunRecord } from '@toolyard/protocol';
import { messageOf } from '@toolyard/protocol';
import type { LiveHub } from '../services.ts';
import type { RunWorkerServices, WorkResult } from './run-worker.ts';
import { RunWorker } from './run-worker.ts';

export type RunWorkerPoolOptions = RunWorkerServices & {
  terms: LeaseTerms;
  hub: LiveHub;
  /** Called when a run is over; `sendNext` names the queued message it was stopped for. */
  onOver: (run: LeasedRun, status: RunRecord['status'], sendNext: string | null) => void;
  /** Tells the other processes over the same database, if there are any, that a run was told something. */
  wakeElsewhere?: (runId: string) => void;
  /** False: runs are taken up by other processes only; default true. */
  takesUp?: boolean;
  /** How long tool calls under way may take when the process stops; default 5 s. */
  lastCallsMs?: number;
  failpoint?: Failpoint;
};

const LAST_CALLS_MS = 5_000;

/** All the runs this process works on. */
export class RunWorkerPool {
  readonly #options: RunWorkerPoolOptions;
  readonly #workers = new Map<string, RunWorker>();
  /** Runs that not even their end could be stored of: to try again would only ask the model again. */
  readonly #hopeless = new Set<string>();
  /** Runs of a newer version, each told of once. */
  readonly #newer = new Set<string>();
  #closing = false;

  constructor(options: RunWorkerPoolOptions) {
    this.#options = options;
  }

  /** Works on a run whose lease this process has just been given. */
  start(run: LeasedRun): void {
    if (this.#hopeless.has(run.id)) return;
    // It was on its way when the process began to stop.
    if (this.#closing) return void this.#giveBack(run);
    // A lease that ran out under its own process, as after a long sleep of the machine: the older worker is stale.
    this.#workers.get(run.id)?.drop();
    const worker = new RunWorker(run, this.#options);
    this.#workers.set(run.id, worker);
    void worker.result.then((result) => this.#ended(worker, result));
  }

  /** The run was told something here: whoever has it looks at once, here or in another process. */
  async wake(runId: string): Promise<void> {
    if (!(await this.woken(runId))) this.#options.wakeElsewhere?.(runId);
  }

  /**
   * The run was told something, wherever: whoever has it here looks at once, and one that rests is taken up. True where
   * this process has it.
   */
  async woken(runId: string): Promise<boolean> {
    const worker = this.#workers.get(runId);
    if (worker) await worker.listen();
    const { runs } = this.#options.storage;
    if (this.#closing || this.#options.takesUp === false) return worker !== undefined;
    // What ran out while the machine slept is still this process's own.
    if (worker && (await runs.renewLease(runId, worker.run.fence, this.#options.terms))) return true;
    // Null where it is held, here or elsewhere, or over.
    const run = await runs.acquireLease(runId, this.#options.terms);
    if (run === null) return worker !== undefined;
    if (run.place === 'browser' && !(await this.#isToEnd(run))) {
      // A tab goes on with it, where a person wants that.
      await runs.releaseLease(run.id, run.fence);
      return true;
    }
    this.start(run);
    return true;
  }

  /** No tab is needed to stop a run. */
  async #isToEnd({ id, fence }: LeasedRun): Promise<boolean> {
    const items = (await this.#options.storage.runs.readInbox(id, fence)) ?? [];
    return items.some(({ kind }) => kind === 'cancel' || kind === 'message');
  }

  find(runId: string): RunWorker | undefined {
    return this.#workers.get(runId);
  }

  workers(): readonly RunWorker[] {
    return [...this.#workers.values()];
  }

  /** Lets go of all runs; the next process takes them up. */
  async close(): Promise<void> {
    this.#closing = true;
    const { lastCallsMs = LAST_CALLS_MS } = this.#options;
    await Promise.all(
      this.workers().map(async (worker) => {
        await worker.letGo(lastCallsMs);
        await this.#giveBack(worker.run);
      }),
    );
  }

  /** To whoever takes it up next, who need not find out by himself. */
  async #giveBack({ id, fence }: LeasedRun): Promise<void> {
    const { storage, log, wakeElsewhere } = this.#options;
    try {
      await storage.runs.releaseLease(id, fence);
      wakeElsewhere?.(id);
    } catch (error) {
      log(`run ${id}: its lease could not be given back: ${messageOf(error)}`);
    }
  }

  /** From what is stored, with what was said since. */
  async #takeUpAnew({ id, fence }: LeasedRun): Promise<void> {
    await this.#options.storage.runs.releaseLease(id, fence);
    await this.wake(id);
  }

  #ended(worker: RunWorker, result: WorkResult): void {
    const { run } = worker;
    if (this.#workers.get(run.id) === worker) this.#workers.delete(run.id);
    const { hub, onOver, log } = this.#options;
    switch (result.end) {
      case 'over':
        hub.changed(run.ownerId, 'conversations', run.conversationId);
        hub.changed(run.ownerId, 'interrupts', run.conversationId);
        if (!this.#closing) onOver(run, result.status, result.sendNext);
        return;
      case 'rested':
        hub.changed(run.ownerId, 'conversations', run.conversationId);
        hub.changed(run.ownerId, 'interrupts', run.conversationId);
        if (result.inboxWaits) this.wake(run.id).catch((error: unknown) => log(`run ${run.id}: ${messageOf(error)}`));
        return;
      case 'lost':
        if (result.lost.reason === 'invalid') this.#hopeless.add(run.id);
        if (result.lost.reason === 'overtaken') {
          this.#takeUpAnew(run).catch((error: unknown) => log(`run ${run.id}: ${messageOf(error)}`));
        }
        if (result.lost.reason === 'engine') log(`run ${run.id} is left for later: ${reasonOf(result.lost)}`);
        if (result.lost.reason === 'newer') this.#leave(run, result.lost.message);
        return;
    }
  }

  /** Untouched, for who can go on with it. */
  #leave({ id, fence }: LeasedRun, reason: string): void {
    const { storage, log } = this.#options;
    if (!this.#newer.has(id)) log(`run ${id}: ${reason}`);
    this.#newer.add(id);
    Promise.resolve(storage.runs.releaseLease(id, fence)).catch((error: unknown) =>
      log(`run ${id}: its lease could not be given back: ${messageOf(error)}`),
    );
  }
}

function reasonOf(lost: RunLost): string {
  return lost.cause === undefined ? lost.message : messageOf(lost.cause);
}
