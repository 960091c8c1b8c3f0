import type { Clock, JsonObject } from '@toolyard/protocol';
import { systemClock } from '@toolyard/protocol';

export type ServedTaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** An input request of a task, in the form of MCP, such as `elicitation/create`. */
export type TaskInputRequest = { method: string; params: JsonObject };

/** A running task, as seen by its work. */
export type RunningTask = {
  readonly id: string;
  /** Aborted when the task is cancelled. */
  readonly signal: AbortSignal;
  /** Sets its status message. */
  say(text: string): void;
  /** Sends all requests at once; resolves with the answers by key when all have arrived. */
  ask(inputRequests: Record<string, TaskInputRequest>): Promise<Record<string, unknown>>;
  /** Resolves after this many milliseconds, or rejects when the task is cancelled. */
  sleep(ms: number): Promise<void>;
};

/** Returns a tool result. An error fails the task; its `code` and `message` are shown. */
export type TaskWork = (task: RunningTask) => Promise<JsonObject>;

export type ServedTask = {
  readonly id: string;
  status: ServedTaskStatus;
  text: string | undefined;
  readonly createdAt: number;
  changedAt: number;
  readonly ttlMs: number | null;
  readonly pollIntervalMs: number;
  /** Unanswered requests. */
  readonly inputRequests: Map<string, TaskInputRequest>;
  result: JsonObject | undefined;
  error: { code: number; message: string } | undefined;
};

export type TaskRegistryOptions = {
  clock?: Clock;
  /** How long a task is kept, in milliseconds; null: forever. Default: one minute. */
  ttlMs?: number | null;
  /** The poll interval it suggests, in milliseconds. Default 50. */
  pollIntervalMs?: number;
};

type Entry = {
  task: ServedTask;
  abort: AbortController;
  answers: Map<string, unknown>;
  changed: Set<() => void>;
};

/** The tasks of a server, for both eras. Independent of its connections. */
export class TaskRegistry {
  readonly #options: TaskRegistryOptions;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();

  constructor(options: TaskRegistryOptions = {}) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Every stored task, oldest first. */
  get tasks(): ServedTask[] {
    return [...this.#entries.values()].map(({ task }) => task);
  }

  start(work: TaskWork): ServedTask {
    const now = this.#clock.now();
    const { ttlMs = 60_000, pollIntervalMs = 50 } = this.#options;
    const task: ServedTask = {
      id: crypto.randomUUID(),
      status: 'working',
      text: undefined,
      createdAt: now,
      changedAt: now,
      ttlMs,
      pollIntervalMs,
      inputRequests: new Map(),
      result: undefined,
      error: undefined,
    };
    const entry: Entry = { task, abort: new AbortController(), answers: new Map(), changed: new Set() };
    this.#entries.set(task.id, entry);
    if (ttlMs !== null) this.#clock.after(ttlMs, () => this.forget(task.id));
    void this.#run(entry, work);
    return task;
  }

  find(id: string): ServedTask | undefined {
    return this.#entries.get(id)?.task;
  }

  /** Removes the task, as if it had expired. */
  forget(id: string): void {
    this.#entries.get(id)?.abort.abort();
    this.#entries.delete(id);
  }

  /** Unknown keys are ignored. */
  answer(id: string, answers: Record<string, unknown>): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    for (const [key, answer] of Object.entries(answers)) {
      if (!entry.task.inputRequests.delete(key)) continue;
      entry.answers.set(key, answer);
    }
    if (entry.task.inputRequests.size === 0 && entry.task.status === 'input_required') entry.task.status = 'working';
    this.#notify(entry);
  }

  cancel(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined || isOver(entry.task)) return;
    entry.task.status = 'cancelled';
    entry.task.inputRequests.clear();
    entry.abort.abort();
    this.#notify(entry);
  }

  /** Resolves at the next change; at once if it has ended or was removed. */
  async changed(id: string): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry === undefined || isOver(entry.task)) return;
    await new Promise<void>((resolve) => entry.changed.add(resolve));
  }

  /** Resolves when it has ended. */
  async settled(id: string): Promise<void> {
    for (let task = this.find(id); task !== undefined && !isOver(task); task = this.find(id)) await this.changed(id);
  }

  async #run(entry: Entry, work: TaskWork): Promise<void> {
    const { task, abort } = entry;
    const settle = (status: ServedTaskStatus, rest: Partial<ServedTask>): void => {
      if (isOver(task)) return;
      Object.assign(task, { status, ...rest });
      this.#notify(entry);
    };
    try {
      settle('completed', { result: await work(this.#within(entry)) });
    } catch (thrown) {
      if (abort.signal.aborted) return settle('cancelled', {});
      const code = (thrown as { code?: unknown } | null)?.code;
      settle('failed', {
        error: { code: typeof code === 'number' ? code : -32_603, message: (thrown as Error).message },
      });
    }
  }

  #within(entry: Entry): RunningTask {
    const { task, abort, answers } = entry;
    const { signal } = abort;
    return {
      id: task.id,
      signal,
      say: (text) => {
        task.text = text;
        this.#notify(entry);
      },
      ask: async (inputRequests) => {
        for (const [key, request] of Object.entries(inputRequests)) task.inputRequests.set(key, request);
        task.status = 'input_required';
        this.#notify(entry);
        while (Object.keys(inputRequests).some((key) => !answers.has(key))) {
          await this.changed(task.id);
          if (signal.aborted) throw new Error('cancelled');
        }
        return Object.fromEntries(answers);
      },
      sleep: (ms) =>
        new Promise((resolve, reject) => {
          const cancelTimer = this.#clock.after(ms, resolve);
          signal.addEventListener('abort', () => {
            cancelTimer();
            reject(new Error('cancelled'));
          });
        }),
    };
  }

  #notify(entry: Entry): void {
    entry.task.changedAt = this.#clock.now();
    const waiting = [...entry.changed];
    entry.changed.clear();
    for (const resolve of waiting) resolve();
  }
}

function isOver({ status }: ServedTask): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}
