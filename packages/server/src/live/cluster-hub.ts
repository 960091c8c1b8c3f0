import type { Clock, LiveEvent, RunEvent } from '@toolyard/protocol';
import { isJsonObject, messageOf, parseJson } from '@toolyard/protocol';
import type { NotificationChannel } from '@toolyard/storage';
import type { RunHub } from './hub.ts';

type What = Extract<LiveEvent, { type: 'changed' }>['what'];

export type ClusterHubOptions = {
  bulletins: NotificationChannel;
  clock: Pick<Clock, 'after'>;
  /** Another process has a word for whoever holds this run, or may take it up. */
  onWake: (runId: string) => void;
  /** Something of MCP servers has changed in another process, or may have. */
  onServers: () => void;
  log: (line: string) => void;
};

/** A hub that also tells, and hears, what happens in the other processes over the same database. */
export type ClusterHub = RunHub & {
  /** Somebody said something to a run that this process does not hold. */
  wake(runId: string): void;
  /** Hears nothing before. */
  start(): void;
  /** Resolves when everything was told, or cannot be told. */
  flush(): Promise<void>;
};

/** How long words wait that could not be told, in milliseconds. */
const TELL_AGAIN_MS = 500;
/** Of so many runs it is kept how far they were told here; of another one the readers look themselves. */
const RUNS_KEPT = 2_000;
/** Events read in one go; the rest follows. */
const READ_AT_ONCE = 2_000;

/**
 * Words name runs and how far they have come, never what is in them: whoever reads one here has it read from the store.
 */
export function createClusterHub(local: RunHub, options: ClusterHubOptions): ClusterHub {
  const outgoing = new Outgoing(options);
  const runs = new RemoteRuns(local, options);

  function hear(bodies: readonly string[]): void {
    for (const body of bodies) {
      const word = readWord(body);
      for (const [ownerId, what, id] of word.changed) local.changed(ownerId, what, ...(id === undefined ? [] : [id]));
      if (word.changed.some(([, what]) => what === 'servers')) options.onServers();
      for (const { ownerId, runId, seq } of word.runs) runs.heardOf(ownerId, runId, seq);
      for (const runId of word.wake) options.onWake(runId);
    }
  }

  return {
    ...local,
    runEvents(ownerId, events) {
      local.runEvents(ownerId, events);
      const last = events.at(-1);
      if (!last) return;
      runs.told(last);
      outgoing.run(ownerId, last.runId, last.seq);
    },
    changed(ownerId, what, id) {
      local.changed(ownerId, what, id);
      outgoing.changed(id === undefined ? [ownerId, what] : [ownerId, what, id]);
    },
    wake: (runId) => outgoing.wake(runId),
    flush: () => outgoing.flush(),
    start: () =>
      options.bulletins.listen(hear, () => {
        runs.forget();
        local.missed();
        options.onServers();
      }),
  };
}

type Change = [ownerId: string | null, what: What, id?: string];

/** What is told next: one word at a time, and what comes meanwhile goes into the next one. */
class Outgoing {
  readonly #options: ClusterHubOptions;
  #runs = new Map<string, Map<string, number>>();
  #changed = new Map<string, Change>();
  #wake = new Set<string>();
  #telling = false;
  #last: Promise<void> = Promise.resolve();
  #failed = false;
  #ending = false;

  constructor(options: ClusterHubOptions) {
    this.#options = options;
  }

  run(ownerId: string, runId: string, seq: number): void {
    const runs = this.#runs.get(ownerId) ?? new Map<string, number>();
    this.#runs.set(ownerId, runs.set(runId, Math.max(seq, runs.get(runId) ?? 0)));
    this.#tellSoon();
  }

  changed(change: Change): void {
    this.#changed.set(JSON.stringify(change), change);
    this.#tellSoon();
  }

  wake(runId: string): void {
    this.#wake.add(runId);
    this.#tellSoon();
  }

  flush(): Promise<void> {
    this.#ending = true;
    return this.#last;
  }

  #tellSoon(): void {
    if (this.#telling) return;
    this.#telling = true;
    this.#last = Promise.resolve().then(() => this.#tellAll());
  }

  async #tellAll(): Promise<void> {
    const { bulletins, clock, log } = this.#options;
    while (this.#runs.size + this.#changed.size + this.#wake.size > 0) {
      const [runs, changed, wake] = [this.#runs, this.#changed, this.#wake];
      this.#runs = new Map();
      this.#changed = new Map();
      this.#wake = new Set();
      try {
        await bulletins.tell(writeWord(runs, [...changed.values()], [...wake]));
        this.#failed = false;
      } catch (thrown) {
        this.#takeBack(runs, changed, wake);
        if (!this.#failed) log(`other processes could not be told: ${messageOf(thrown)}`);
        this.#failed = true;
        // A process that ends waits for nobody: the others see it within a second all the same.
        if (!this.#ending) clock.after(TELL_AGAIN_MS, () => void this.#tellAll());
        return;
      }
    }
    this.#telling = false;
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

/** Runs of other processes, as far as somebody here follows them. */
class RemoteRuns {
  readonly #local: RunHub;
  readonly #options: ClusterHubOptions;
  /** How far each was told here. */
  readonly #told = new Map<string, number>();
  /** How far those are to be read of which somebody else told. */
  #wanted = new Map<string, { ownerId: string; seq: number }>();
  #reading = false;

  constructor(local: RunHub, options: ClusterHubOptions) {
    this.#local = local;
    this.#options = options;
  }

  told({ runId, seq, type }: RunEvent): void {
    if (type === 'run_finished') {
      this.#told.delete(runId);
      return;
    }
    this.#told.set(runId, seq);
    const [oldest] = this.#told.keys();
    if (this.#told.size > RUNS_KEPT && oldest !== undefined) this.#told.delete(oldest);
  }

  forget(): void {
    this.#told.clear();
  }

  heardOf(ownerId: string, runId: string, seq: number): void {
    if (!this.#local.isHeard(ownerId, runId)) {
      this.#told.delete(runId);
      return;
    }
    this.#want(runId, { ownerId, seq });
    if (this.#reading) return;
    this.#reading = true;
    // All runs of one word are read together.
    queueMicrotask(() => void this.#readAll());
  }

  async #readAll(): Promise<void> {
    while (this.#wanted.size > 0) {
      const wanted = this.#wanted;
      this.#wanted = new Map();
      try {
        await this.#read(wanted);
      } catch (thrown) {
        for (const runId of wanted.keys()) this.#told.delete(runId);
        const reason = thrown instanceof Error ? thrown.message : '';
        this.#options.log(`what another process wrote could not be read: ${reason}`);
        this.#local.missed();
      }
    }
    this.#reading = false;
  }

  /** Of a run nothing was told of here only the last is read: whoever follows it sees the gap, and reads it all. */
  async #read(wanted: ReadonlyMap<string, { ownerId: string; seq: number }>): Promise<void> {
    const due = [...wanted].flatMap(([runId, { ownerId, seq }]) => {
      const afterSeq = this.#told.get(runId) ?? seq - 1;
      return afterSeq < seq ? [{ ownerId, runId, afterSeq, seq }] : [];
    });
    if (due.length === 0) return;
    const stored = await this.#options.bulletins.readOn(due, READ_AT_ONCE);
    const events = Map.groupBy(stored, ({ runId }) => runId);
    for (const { ownerId, runId, afterSeq, seq } of due) {
      const own = events.get(runId) ?? [];
      // Told here by somebody else meanwhile: this process has taken the run up.
      const fresh = own.filter((event) => event.seq > (this.#told.get(runId) ?? afterSeq));
      if (fresh.length > 0) this.#local.runEvents(ownerId, fresh);
      const last = own.at(-1);
      if (last) this.told(last);
      // What did not fit is read next; of what is not there nothing will come.
      const readUpTo = last?.seq ?? afterSeq;
      if (stored.length === READ_AT_ONCE && readUpTo < seq) this.#want(runId, { ownerId, seq });
    }
  }

  #want(runId: string, { ownerId, seq }: { ownerId: string; seq: number }): void {
    this.#wanted.set(runId, { ownerId, seq: Math.max(seq, this.#wanted.get(runId)?.seq ?? 0) });
  }
}

type Word = { runs: { ownerId: string; runId: string; seq: number }[]; changed: Change[]; wake: string[] };

function writeWord(
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

/** What a process of another version says is taken as far as it is understood. */
function readWord(body: string): Word {
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
      // One that this version does not know is for nobody here.
      return [typeof id === 'string' ? [ownerId, what as What, id] : [ownerId, what as What]];
    }),
    wake: (Array.isArray(wake) ? wake : []).filter((runId) => typeof runId === 'string'),
  };
}
