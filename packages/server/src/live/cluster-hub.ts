import type { Clock, LiveEvent, RunEvent } from '@toolyard/protocol';
import { isJsonObject, messageOf, parseJson } from '@toolyard/protocol';
import type { NotificationChannel } from '@toolyard/storage';
import type { RunHub } from './hub.ts';

type What = Extract<LiveEvent, { type: 'changed' }>['what'];

export type ClusterHubOptions = {
  notifications: NotificationChannel;
  clock: Pick<Clock, 'after'>;
  log: (line: string) => void;
};

/** Receives what concerns more than the subscribers of the hub. */
type ClusterHubHandlers = {
  /** Another process has a message for the process that executes this run, or may resume it. */
  onWake: (runId: string) => void;
  /** MCP servers changed in another process, or may have. */
  onServers: () => void;
};

/** A hub that exchanges notifications with the other processes of the same database. */
export type ClusterHub = RunHub & {
  /** A message was stored for a run that this process does not execute. */
  wake(runId: string): void;
  /** Starts receiving. */
  start(handlers: ClusterHubHandlers): void;
  /** Resolves when all notifications were sent or have failed. */
  flush(): Promise<void>;
};

/** Delay before failed notifications are sent again, in milliseconds. */
const RETRY_SEND_MS = 500;
/** Number of runs whose published position is kept; for other runs, readers use the store. */
const RUNS_KEPT = 2_000;
/** Maximum number of events per read; the rest follows in the next one. */
const READ_AT_ONCE = 2_000;

/** Notifications contain run ids and positions, never content: receivers read that from the store. */
export function createClusterHub(local: RunHub, options: ClusterHubOptions): ClusterHub {
  const outgoing = new Outgoing(options);
  const runs = new RemoteRuns(local, options);

  function receive(bodies: readonly string[], { onWake, onServers }: ClusterHubHandlers): void {
    for (const body of bodies) {
      const notification = parseNotification(body);
      for (const [ownerId, what, id] of notification.changed)
        local.changed(ownerId, what, ...(id === undefined ? [] : [id]));
      if (notification.changed.some(([, what]) => what === 'servers')) onServers();
      for (const { ownerId, runId, seq } of notification.runs) runs.notified(ownerId, runId, seq);
      for (const runId of notification.wake) onWake(runId);
    }
  }

  return {
    ...local,
    runEvents(ownerId, events) {
      local.runEvents(ownerId, events);
      const last = events.at(-1);
      if (!last) return;
      runs.published(last);
      outgoing.run(ownerId, last.runId, last.seq);
    },
    changed(ownerId, what, id) {
      local.changed(ownerId, what, id);
      outgoing.changed(id === undefined ? [ownerId, what] : [ownerId, what, id]);
    },
    wake: (runId) => outgoing.wake(runId),
    flush: () => outgoing.flush(),
    start: (handlers) =>
      options.notifications.listen(
        (bodies) => receive(bodies, handlers),
        () => {
          runs.forget();
          local.missed();
          handlers.onServers();
        },
      ),
  };
}

type Change = [ownerId: string | null, what: What, id?: string];

/** Sends one notification at a time, and collects what follows for the next. */
class Outgoing {
  readonly #options: ClusterHubOptions;
  #runs = new Map<string, Map<string, number>>();
  #changed = new Map<string, Change>();
  #wake = new Set<string>();
  #sending = false;
  #last: Promise<void> = Promise.resolve();
  #failed = false;
  #ending = false;

  constructor(options: ClusterHubOptions) {
    this.#options = options;
  }

  run(ownerId: string, runId: string, seq: number): void {
    const runs = this.#runs.get(ownerId) ?? new Map<string, number>();
    this.#runs.set(ownerId, runs.set(runId, Math.max(seq, runs.get(runId) ?? 0)));
    this.#sendSoon();
  }

  changed(change: Change): void {
    this.#changed.set(JSON.stringify(change), change);
    this.#sendSoon();
  }

  wake(runId: string): void {
    this.#wake.add(runId);
    this.#sendSoon();
  }

  flush(): Promise<void> {
    this.#ending = true;
    return this.#last;
  }

  #sendSoon(): void {
    if (this.#sending) return;
    this.#sending = true;
    this.#last = Promise.resolve().then(() => this.#sendAll());
  }

  async #sendAll(): Promise<void> {
    const { notifications, clock, log } = this.#options;
    while (this.#runs.size + this.#changed.size + this.#wake.size > 0) {
      const [runs, changed, wake] = [this.#runs, this.#changed, this.#wake];
      this.#runs = new Map();
      this.#changed = new Map();
      this.#wake = new Set();
      try {
        await notifications.send(formatNotification(runs, [...changed.values()], [...wake]));
        this.#failed = false;
      } catch (thrown) {
        this.#takeBack(runs, changed, wake);
        if (!this.#failed) log(`notifications: could not be sent to other processes: ${messageOf(thrown)}`);
        this.#failed = true;
        // A process that shuts down does not retry: the others poll within a second.
        if (!this.#ending) clock.after(RETRY_SEND_MS, () => void this.#sendAll());
        return;
      }
    }
    this.#sending = false;
  }

  #takeBack(runs: Map<string, Map<string, number>>, changed: Map<string, Change>, wake: Set<string>): void {
    for (const [ownerId, of] of runs) {
      const newer = this.#runs.get(ownerId) ?? new Map<string, number>();
      for (const [runId, seq] of of) newer.set(runId, Math.max(seq, newer.get(runId) ?? 0));
      this.#runs.set(ownerId, newer);
    }
    for (const [key, change] of changed) this.#changed.set(key, change);
    for (const runId of wake) this.#wake.add(runId);
  }
}

/** Runs of other processes that have subscribers here. */
class RemoteRuns {
  readonly #local: RunHub;
  readonly #options: ClusterHubOptions;
  /** Last published seq of each run. */
  readonly #publishedSeqs = new Map<string, number>();
  /** Seq to read to, per run, as notified by other processes. */
  #pendingSeqs = new Map<string, { ownerId: string; seq: number }>();
  #reading = false;

  constructor(local: RunHub, options: ClusterHubOptions) {
    this.#local = local;
    this.#options = options;
  }

  published({ runId, seq, type }: RunEvent): void {
    if (type === 'run_finished') {
      this.#publishedSeqs.delete(runId);
      return;
    }
    this.#publishedSeqs.set(runId, seq);
    const [oldest] = this.#publishedSeqs.keys();
    if (this.#publishedSeqs.size > RUNS_KEPT && oldest !== undefined) this.#publishedSeqs.delete(oldest);
  }

  forget(): void {
    this.#publishedSeqs.clear();
  }

  notified(ownerId: string, runId: string, seq: number): void {
    if (!this.#local.hasSubscribers(ownerId, runId)) {
      this.#publishedSeqs.delete(runId);
      return;
    }
    this.#want(runId, { ownerId, seq });
    if (this.#reading) return;
    this.#reading = true;
    // All runs of a notification are read together.
    queueMicrotask(() => void this.#readAll());
  }

  async #readAll(): Promise<void> {
    while (this.#pendingSeqs.size > 0) {
      const pending = this.#pendingSeqs;
      this.#pendingSeqs = new Map();
      try {
        await this.#read(pending);
      } catch (thrown) {
        for (const runId of pending.keys()) this.#publishedSeqs.delete(runId);
        const reason = thrown instanceof Error ? thrown.message : '';
        this.#options.log(`notifications: could not read events of another process: ${reason}`);
        this.#local.missed();
      }
    }
    this.#reading = false;
  }

  /** For a run without published events only the last event is read: subscribers see the gap and read the rest. */
  async #read(pending: ReadonlyMap<string, { ownerId: string; seq: number }>): Promise<void> {
    const due = [...pending].flatMap(([runId, { ownerId, seq }]) => {
      const afterSeq = this.#publishedSeqs.get(runId) ?? seq - 1;
      return afterSeq < seq ? [{ ownerId, runId, afterSeq, seq }] : [];
    });
    if (due.length === 0) return;
    const stored = await this.#options.notifications.readEvents(due, READ_AT_ONCE);
    const events = Map.groupBy(stored, ({ runId }) => runId);
    for (const { ownerId, runId, afterSeq, seq } of due) {
      const own = events.get(runId) ?? [];
      // Published here in the meantime: this process has claimed the run.
      const fresh = own.filter((event) => event.seq > (this.#publishedSeqs.get(runId) ?? afterSeq));
      if (fresh.length > 0) this.#local.runEvents(ownerId, fresh);
      const last = own.at(-1);
      if (last) this.published(last);
      // What did not fit is read next; for a deleted run nothing follows.
      const readUpTo = last?.seq ?? afterSeq;
      if (stored.length === READ_AT_ONCE && readUpTo < seq) this.#want(runId, { ownerId, seq });
    }
  }

  #want(runId: string, { ownerId, seq }: { ownerId: string; seq: number }): void {
    this.#pendingSeqs.set(runId, { ownerId, seq: Math.max(seq, this.#pendingSeqs.get(runId)?.seq ?? 0) });
  }
}

type Notification = { runs: { ownerId: string; runId: string; seq: number }[]; changed: Change[]; wake: string[] };

function formatNotification(
  runs: ReadonlyMap<string, ReadonlyMap<string, number>>,
  changed: readonly Change[],
  wake: readonly string[],
): string {
  return JSON.stringify({
    runs: Object.fromEntries([...runs].map(([ownerId, of]) => [ownerId, Object.fromEntries(of)])),
    changed,
    wake,
  });
}

/** Parses a notification; parts from other versions that are not understood are ignored. */
function parseNotification(body: string): Notification {
  const parsed = parseJson(body);
  const { runs = {}, changed = [], wake = [] } = parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
  return {
    runs: Object.entries(isJsonObject(runs) ? runs : {}).flatMap(([ownerId, of]) =>
      Object.entries(isJsonObject(of) ? of : {}).flatMap(([runId, seq]) =>
        typeof seq === 'number' ? [{ ownerId, runId, seq }] : [],
      ),
    ),
    changed: (Array.isArray(changed) ? changed : []).flatMap((change): Change[] => {
      if (!Array.isArray(change)) return [];
      const [ownerId, what, id] = change;
      if ((ownerId !== null && typeof ownerId !== 'string') || typeof what !== 'string') return [];
      // Kinds that this version does not know have no subscribers here.
      return [typeof id === 'string' ? [ownerId, what as What, id] : [ownerId, what as What]];
    }),
    wake: (Array.isArray(wake) ? wake : []).filter((runId) => typeof runId === 'string'),
  };
}
