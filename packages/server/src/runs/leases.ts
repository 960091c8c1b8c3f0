import type { Clock, LeaseTerms, RunStore } from '@toolyard/protocol';
import { StorageError } from '@toolyard/storage';
import type { LogOnce } from '../log-once.ts';
import { createLogOnce } from '../log-once.ts';
import type { RunWorkerPool } from './run-worker-pool.ts';

export type LeaseKeeperOptions = {
  store: Pick<RunStore, 'renewLeases' | 'releaseLease' | 'takeOver'>;
  pool: Pick<RunWorkerPool, 'workers' | 'find' | 'start'>;
  terms: LeaseTerms;
  clock: Clock;
  log: (line: string) => void;
  /** How often this process looks for runs nobody works on, in milliseconds; default 3 s. */
  takeOverEveryMs?: number;
  /** Called whenever this process has looked for runs nobody works on. */
  looked: () => Promise<void>;
};

/** A lost notification costs this long at most, in milliseconds. */
const RENEW_EVERY_MS = 1_000;
const TAKE_OVER_EVERY_MS = 3_000;
/** After the store has failed, runs are left alone for longer and longer: a model asked for nothing costs money. */
const LONGEST_PAUSE_MS = 60_000;
const TAKEN_AT_ONCE = 100;

/** Keeps the runs of this process its own, and takes up those nobody works on. */
export class LeaseKeeper {
  readonly #options: LeaseKeeperOptions;
  readonly #takeOverEveryMs: number;
  readonly #cancel = new Set<() => void>();
  /** Leases found in this process's name that no worker has; released when they are found so twice. */
  #strays = new Set<string>();
  #pauseMs = 0;
  #pausedUntil = 0;
  #closed = false;
  readonly #telling: LogOnce;

  constructor(options: LeaseKeeperOptions) {
    this.#options = options;
    this.#takeOverEveryMs = options.takeOverEveryMs ?? TAKE_OVER_EVERY_MS;
    this.#telling = createLogOnce(options.log);
  }

  /** Takes up all there is to be taken up, and goes on doing so. Throws where the store does. */
  async start(): Promise<void> {
    await this.#takeOver();
    this.#every(RENEW_EVERY_MS, () => this.#renew());
    this.#every(this.#takeOverEveryMs, () => this.#takeOverUnlessPaused());
  }

  /** The store has failed: no run is taken up for a while. */
  pause(error: unknown): void {
    const { clock } = this.#options;
    if (clock.monotonic() < this.#pausedUntil) return;
    // From a database that is away no run can be taken either: once it is back, none need lie any longer.
    if (StorageError.isInstance(error) && error.problem === 'unreachable') return;
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, this.#pauseMs === 0 ? this.#takeOverEveryMs : this.#pauseMs * 2);
    this.#pausedUntil = clock.monotonic() + this.#pauseMs;
  }

  close(): void {
    this.#closed = true;
    for (const cancel of this.#cancel) cancel();
    this.#cancel.clear();
  }

  #every(ms: number, work: () => Promise<void>): void {
    if (this.#closed) return;
    const { clock } = this.#options;
    const cancel = clock.after(ms, () => {
      this.#cancel.delete(cancel);
      void work()
        .catch((error: unknown) => {
          this.pause(error);
          this.#telling.failed('runs', error);
        })
        .then(() => this.#every(ms, work));
    });
    this.#cancel.add(cancel);
  }

  async #renew(): Promise<void> {
    const { store, pool, terms } = this.#options;
    const mine = pool.workers();
    const renewed = new Map((await store.renewLeases(terms)).map((lease) => [lease.runId, lease]));
    for (const worker of mine) {
      const lease = renewed.get(worker.run.id);
      if (lease?.fence !== worker.run.fence) worker.drop();
      else if (lease.cancelRequested || lease.inboxWaits) await worker.listen();
    }

    const strays = new Set<string>();
    for (const { runId, fence } of renewed.values()) {
      if (pool.find(runId)) continue;
      const name = `${runId} ${fence}`;
      if (this.#strays.has(name)) await store.releaseLease(runId, fence);
      else strays.add(name);
    }
    this.#strays = strays;
  }

  async #takeOverUnlessPaused(): Promise<void> {
    if (this.#options.clock.monotonic() < this.#pausedUntil) return;
    // What ran out while the machine slept is still this process's own.
    await this.#renew();
    await this.#takeOver();
    await this.#options.looked();
    // Only here all was tried: a disk that is full lets leases be looked at all along.
    this.#telling.worked();
    if (this.#options.clock.monotonic() > this.#pausedUntil + LONGEST_PAUSE_MS) this.#pauseMs = 0;
  }

  async #takeOver(): Promise<void> {
    const { store, pool, terms } = this.#options;
    for (;;) {
      const runs = await store.takeOver(terms, TAKEN_AT_ONCE);
      for (const run of runs) pool.start(run);
      if (this.#closed || runs.length < TAKEN_AT_ONCE) return;
    }
  }
}
