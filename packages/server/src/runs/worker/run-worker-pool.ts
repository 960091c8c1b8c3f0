import type { RunLost } from '@toolyard/agent-host/durable';
import type { Failpoint, LeasedRun, LeaseTerms, RunRecord, RunStatus } from '@toolyard/protocol';
import { messageOf } from '@toolyard/protocol';
import type { LiveHub } from '../../services.ts';
import type { RunWorkerServices, WorkResult } from './run-worker.ts';
import { RunWorker } from './run-worker.ts';

export type RunWorkerPoolOptions = RunWorkerServices & {
  terms: LeaseTerms;
  hub: LiveHub;
  /** Called when a run has ended; `sendNext`: the queued message it was cancelled for. */
  onOver: (run: LeasedRun, status: RunRecord['status'], sendNext: string | null) => void;
  /** Notifies the other processes with the same database of a message for a run. */
  wakeElsewhere?: (runId: string) => void;
  /** False: other processes execute the runs; default true. */
  executesRuns?: boolean;
  /** How long tool calls in progress may take when the process stops; default 5 s. */
  lastCallsMs?: number;
  failpoint?: Failpoint;
};

const LAST_CALLS_MS = 5_000;
const ACTIVE: readonly RunStatus[] = ['queued', 'running', 'parked', 'waiting_for_tab'];
/** Children of a run that are woken at once when it ends; more are found by the next look for runs. */
const MAX_CHILDREN = 1_000;

/** The runs that this process executes. */
export class RunWorkerPool {
  readonly #options: RunWorkerPoolOptions;
  readonly #workers = new Map<string, RunWorker>();
  /** Runs whose end could not be stored: retrying would only repeat model requests. */
  readonly #unstorable = new Set<string>();
  /** Runs of a newer version, each logged once. */
  readonly #newer = new Set<string>();
  #closing = false;

  constructor(options: RunWorkerPoolOptions) {
    this.#options = options;
  }

  /** Executes a run that this process has just created, with its lease. */
  run(created: LeasedRun): void {
    this.#work(created, true);
  }

  /** Continues a run whose lease this process has just acquired. */
  recover(claimed: LeasedRun): void {
    this.#work(claimed, false);
  }

  #work(run: LeasedRun, isNew: boolean): void {
    if (this.#unstorable.has(run.id)) return;
    // It arrived when the process was already shutting down.
    if (this.#closing) return void this.#release(run);
    // The lease expired under this process, such as during system sleep: the older worker is stale.
    this.#workers.get(run.id)?.drop();
    const worker = new RunWorker(run, this.#options, isNew);
    this.#workers.set(run.id, worker);
    void worker.result.then((result) => this.#ended(worker, result));
  }

  /** A message was stored for the run: notifies its process, here or elsewhere. */
  async wake(runId: string): Promise<void> {
    if (!(await this.wakeHere(runId))) this.#options.wakeElsewhere?.(runId);
  }

  /**
   * A message was stored for the run: its worker here reads it at once, and a parked run is claimed. True if this
   * process executes the run.
   */
  async wakeHere(runId: string): Promise<boolean> {
    const worker = this.#workers.get(runId);
    if (worker) await worker.listen();
    const { runs } = this.#options.storage;
    if (this.#closing || this.#options.executesRuns === false) return worker !== undefined;
    // A lease that expired during system sleep may still be this process's own.
    if (worker && (await runs.renewLease(runId, worker.run.fence, this.#options.terms))) return true;
    // Null if another worker has it, or it has ended.
    const run = await runs.acquireLease(runId, this.#options.terms);
    if (run === null) return worker !== undefined;
    if (run.place === 'browser' && !(await this.#isToEnd(run))) {
      await runs.releaseLease(run.id, run.fence);
      // Its tab claims it if nothing is left to wait for; without one, another tab does when the user wants that.
      this.#options.hub.changed(run.ownerId, 'interrupts', run.conversationId);
      return true;
    }
    this.recover(run);
    return true;
  }

  /** Ending a run needs no tab. */
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

  /** Releases all runs; the next process resumes them. */
  async close(): Promise<void> {
    this.#closing = true;
    const { lastCallsMs = LAST_CALLS_MS } = this.#options;
    await Promise.all(
      this.workers().map(async (worker) => {
        await worker.release(lastCallsMs);
        await this.#release(worker.run);
      }),
    );
  }

  /** Releases a run and notifies other processes, so that they need not wait for a poll. */
  async #release({ id, fence }: LeasedRun): Promise<void> {
    const { storage, log, wakeElsewhere } = this.#options;
    try {
      await storage.runs.releaseLease(id, fence);
      wakeElsewhere?.(id);
    } catch (error) {
      log(`run ${id}: could not release the lease: ${messageOf(error)}`);
    }
  }

  /** Resumes the run from its stored state, with the messages received since. */
  async #recoverAndStart({ id, fence }: LeasedRun): Promise<void> {
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
        this.#wakeRelatives(run).catch((error: unknown) => log(`run ${run.id}: ${messageOf(error)}`));
        if (!this.#closing) onOver(run, result.status, result.sendNext);
        return;
      case 'parked':
        hub.changed(run.ownerId, 'conversations', run.conversationId);
        hub.changed(run.ownerId, 'interrupts', run.conversationId);
        if (result.inboxWaits) this.wake(run.id).catch((error: unknown) => log(`run ${run.id}: ${messageOf(error)}`));
        return;
      case 'leaseLost':
        if (result.error.reason === 'invalid') this.#unstorable.add(run.id);
        if (result.error.reason === 'overtaken') {
          this.#recoverAndStart(run).catch((error: unknown) => log(`run ${run.id}: ${messageOf(error)}`));
        }
        if (result.error.reason === 'engine') log(`run ${run.id}: postponed: ${getReason(result.error)}`);
        if (result.error.reason === 'newer') this.#leave(run, result.error.message);
        return;
    }
  }

  /**
   * The commit that ended a run has put items into the inboxes of its parent and its children. The parent is woken with
   * the last of its children; should two processes each take the other's for the last, the next look for runs wakes it.
   */
  async #wakeRelatives({ id, ownerId, parentRunId }: LeasedRun): Promise<void> {
    if (this.#closing) return;
    const { runs } = this.#options.storage;
    const active = { statuses: ACTIVE, limit: MAX_CHILDREN };
    if (parentRunId !== null) {
      const siblings = await runs.listRuns({ ownerId }, { parentRunId, statuses: ACTIVE, limit: 1 });
      if (siblings.length === 0) await this.wake(parentRunId);
    }
    for (const child of await runs.listRuns({ ownerId }, { parentRunId: id, ...active })) await this.wake(child.id);
  }

  /** Releases the run unchanged, for a process that can execute it. */
  #leave({ id, fence }: LeasedRun, reason: string): void {
    const { storage, log } = this.#options;
    if (!this.#newer.has(id)) log(`run ${id}: ${reason}`);
    this.#newer.add(id);
    Promise.resolve(storage.runs.releaseLease(id, fence)).catch((error: unknown) =>
      log(`run ${id}: could not release the lease: ${messageOf(error)}`),
    );
  }
}

function getReason(runLost: RunLost): string {
  return runLost.cause === undefined ? runLost.message : messageOf(runLost.cause);
}
