import type { Clock, LeaseTerms, RunStore } from '@toolyard/protocol';
import { StorageError } from '@toolyard/storage';
import type { LogOnce } from '../../log-once.ts';
import { createLogOnce } from '../../log-once.ts';
import type { RunWorkerPool } from './run-worker-pool.ts';

export type LeaseKeeperOptions = {
  store: Pick<RunStore, 'renewLeases' | 'releaseLease' | 'claimExpired'>;
  pool: Pick<RunWorkerPool, 'workers' | 'find' | 'recover'>;
  terms: LeaseTerms;
  clock: Clock;
  log: (line: string) => void;
  /** Interval at which this process scans for runs without a lease, in milliseconds; default 3 s. */
  claimExpiredEveryMs?: number;
  /** Called after each scan for runs without a lease. */
  afterScan: () => Promise<void>;
};

/** Renewal interval in milliseconds, and the maximum delay after a lost notification. */
const RENEW_EVERY_MS = 1_000;
const CLAIM_EXPIRED_EVERY_MS = 3_000;
/** Maximum of the growing pause after storage errors, because needless model requests cost money. */
const LONGEST_PAUSE_MS = 60_000;
const TAKEN_AT_ONCE = 100;

/** Renews the leases of this process, and claims runs without one. */
export class LeaseKeeper {
  readonly #options: LeaseKeeperOptions;
  readonly #claimExpiredEveryMs: number;
  readonly #cancel = new Set<() => void>();
  /** Leases of this process without a worker; released when seen twice in a row. */
  #strays = new Set<string>();
  #pauseMs = 0;
  #pausedUntil = 0;
  #closed = false;
  readonly #logFailures: LogOnce;

  constructor(options: LeaseKeeperOptions) {
    this.#options = options;
    this.#claimExpiredEveryMs = options.claimExpiredEveryMs ?? CLAIM_EXPIRED_EVERY_MS;
    this.#logFailures = createLogOnce(options.log);
  }

  /** Claims all available runs, now and periodically. Throws storage errors. */
  async start(): Promise<void> {
    await this.#claimExpired();
    this.#every(RENEW_EVERY_MS, () => this.#renew());
    this.#every(this.#claimExpiredEveryMs, () => this.#claimExpiredUnlessPaused());
  }

  /** After a storage error: claims no runs for a while. */
  pause(error: unknown): void {
    const { clock } = this.#options;
    if (clock.monotonic() < this.#pausedUntil) return;
    // An unreachable database hands out no runs; do not delay them further once it is back.
    if (StorageError.isInstance(error) && error.problem === 'unreachable') return;
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, this.#pauseMs === 0 ? this.#claimExpiredEveryMs : this.#pauseMs * 2);
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
          this.#logFailures.failed('runs', error);
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

  async #claimExpiredUnlessPaused(): Promise<void> {
    if (this.#options.clock.monotonic() < this.#pausedUntil) return;
    // Leases that expired during system sleep may still be this process's own.
    await this.#renew();
    await this.#claimExpired();
    await this.#options.afterScan();
    // Only here everything was tried: with a full disk, reading leases still succeeds.
    this.#logFailures.worked();
    if (this.#options.clock.monotonic() > this.#pausedUntil + LONGEST_PAUSE_MS) this.#pauseMs = 0;
  }

  async #claimExpired(): Promise<void> {
    const { store, pool, terms } = this.#options;
    for (;;) {
      const runs = await store.claimExpired(terms, TAKEN_AT_ONCE);
      for (const run of runs) pool.recover(run);
      if (this.#closed || runs.length < TAKEN_AT_ONCE) return;
    }
  }
}
