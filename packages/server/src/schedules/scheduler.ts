import type { Clock, Failpoint } from '@toolyard/protocol';
import { messageOf, say, withTemplates } from '@toolyard/protocol';
import type { DueFiring, FiringKey, StoredSchedule } from '@toolyard/storage';
import { repeat } from '../repeat.ts';
import { dueTimes } from './due-times.ts';
import type { StartFiringServices } from './start-firing.ts';
import { startFiring } from './start-firing.ts';
import { readDefinition } from './definition.ts';

export type SchedulerOptions = StartFiringServices & {
  clock: Clock;
  log: (line: string) => void;
  /** No other process uses the storage: what an earlier process left is started at once. */
  alone?: boolean;
  /** Longest pause between two looks at the stored times, in milliseconds; default 1 s. */
  lookEveryMs?: number;
  /** Passed at `schedule:claimed` and `schedule:started`. */
  failpoint?: Failpoint;
};

/** As often as leases are renewed; a time that is due earlier is not waited for longer. */
const LOOK_EVERY_MS = 1_000;
/** After an error the time of a schedule stays in the past. */
const SHORTEST_WAIT_MS = 20;
const AT_ONCE = 100;
/** How long one process has a time; then another one starts its run. */
const CLAIM_MS = 10_000;

/**
 * Starts the runs of schedules. Every process does it: a time is claimed in the transaction that stores it, and a time
 * whose process has crashed is handed out again.
 */
export class Scheduler {
  readonly #options: SchedulerOptions;
  #stop: (() => Promise<void>) | undefined;

  constructor(options: SchedulerOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock, log, alone } = this.#options;
    const pauseMs = () => this.#untilNext();
    this.#stop = repeat({ what: 'schedules', clock, log, pauseMs }, async (isFirst, stopping) => {
      await this.#takeOpen(isFirst && alone === true ? CLAIM_MS : 0);
      await this.#takeDue(stopping);
    });
  }

  /** Starts a time that {@link ScheduleRepository.addFiring} has stored. */
  async startNow(schedule: StoredSchedule, key: FiringKey): Promise<void> {
    await this.#fire(schedule, key);
  }

  async close(): Promise<void> {
    await this.#stop?.();
  }

  async #untilNext(): Promise<number> {
    const { storage, clock, lookEveryMs = LOOK_EVERY_MS } = this.#options;
    try {
      const next = await storage.schedules.nextAt();
      return next === null ? lookEveryMs : Math.min(lookEveryMs, Math.max(SHORTEST_WAIT_MS, next - clock.now()));
    } catch {
      return lookEveryMs;
    }
  }

  async #takeDue(stopping: AbortSignal): Promise<void> {
    const { storage, clock } = this.#options;
    for (;;) {
      const due = await storage.schedules.due(clock.now(), AT_ONCE);
      const claimed = await Promise.all(due.map((schedule) => this.#claim(schedule)));
      if (stopping.aborted || due.length < AT_ONCE || !claimed.includes(true)) return;
    }
  }

  /** True if this process took the times. */
  async #claim(schedule: StoredSchedule): Promise<boolean> {
    const { storage, clock, hub, failpoint } = this.#options;
    const { id, ownerId, nextAt, used, version, createdAt: anchor } = schedule;
    if (nextAt === null) return false;
    const now = clock.now();
    const definition = readDefinition(schedule.definition);
    const due =
      definition === null
        ? { fire: [], skipped: { plannedAt: nextAt, reason: UNREADABLE }, nextAt: null, used }
        : dueTimes(definition, { nextAt, used, anchor }, now);
    const taken = await storage.schedules.claim(
      { ownerId },
      {
        schedule: { id, nextAt, version },
        fire: due.fire,
        skipped: due.skipped && withTemplates(due.skipped),
        next: { nextAt: due.nextAt, used: due.used },
        at: now,
        retryAt: now + CLAIM_MS,
      },
    );
    if (!taken) return false;
    await failpoint?.('schedule:claimed');
    hub.changed(ownerId, 'schedules', id);
    for (const plannedAt of due.fire) await this.#fire(schedule, { scheduleId: id, plannedAt });
    return true;
  }

  /** Times that wait for a run, and those whose process has crashed; also claims that expire within `ahead`. */
  async #takeOpen(ahead: number): Promise<void> {
    const { storage, clock } = this.#options;
    const now = clock.now();
    const open = await storage.schedules.claimFirings(now + ahead, now + ahead + CLAIM_MS, AT_ONCE);
    await Promise.all(open.map((firing) => this.#fireAgain(firing)));
  }

  async #fireAgain({ ownerId, ...key }: DueFiring): Promise<void> {
    const schedule = await this.#options.storage.schedules.get({ ownerId }, key.scheduleId);
    if (schedule !== null) await this.#fire(schedule, key);
  }

  async #fire(schedule: StoredSchedule, key: FiringKey): Promise<void> {
    const { storage, clock, hub, log, failpoint } = this.#options;
    try {
      const outcome = await startFiring(schedule, key, clock.now(), this.#options);
      await failpoint?.('schedule:started');
      await storage.schedules.settle(key, { ...outcome, at: clock.now() });
      if (outcome.outcome === 'failed') log(`schedule ${schedule.id}: ${String(outcome.reason)}`);
      hub.changed(schedule.ownerId, 'schedules', schedule.id);
    } catch (thrown) {
      // It stays due, and is started when its claim has expired.
      log(`schedule ${schedule.id}: postponed: ${messageOf(thrown)}`);
    }
  }
}

const UNREADABLE = say`The stored definition of the schedule cannot be read.`;
