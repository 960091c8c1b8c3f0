import type { Clock, JsonObject } from '@toolyard/protocol';
import { systemClock } from '@toolyard/protocol';

export type ServedTaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** Something a task wants to be told, as MCP asks it (`elicitation/create` and the like). */
export type TaskQuestion = { method: string; params: JsonObject };

/** A task from within. */
export type RunningTask = {
  readonly id: string;
  /** Aborted when somebody cancels it. */
  readonly signal: AbortSignal;
  /** What is shown as its status message. */
  say(text: string): void;
  /** Asks all at once; resolves with the answers by key when all are there. */
  ask(questions: Record<string, TaskQuestion>): Promise<Record<string, unknown>>;
  /** Resolves after so many milliseconds, or rejects when the task is cancelled. */
  sleep(ms: number): Promise<void>;
};

/** Returns a tool result. What it throws fails the task; `code` and `message` are what is shown. */
export type TaskWork = (task: RunningTask) => Promise<JsonObject>;

export type ServedTask = {
  readonly id: string;
  status: ServedTaskStatus;
  text: string | undefined;
  readonly createdAt: number;
  changedAt: number;
  readonly ttlMs: number | null;
  readonly pollIntervalMs: number;
  /** What is still to be answered. */
  readonly questions: Map<string, TaskQuestion>;
  result: JsonObject | undefined;
  error: { code: number; message: string } | undefined;
};

export type TaskRegistryOptions = {
  clock?: Clock;
  /** How long a task is kept; null keeps it. Default a minute. */
  ttlMs?: number | null;
  /** What the server wants between two polls. Default 50. */
  pollIntervalMs?: number;
};

type Entry = {
  task: ServedTask;
  abort: AbortController;
  answers: Map<string, unknown>;
  changed: Set<() => void>;
};

/** The tasks of a server, whichever era asks for them. A process of its own may keep it while clients come and go. */
export class TaskRegistry {
  readonly #options: TaskRegistryOptions;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();

  constructor(options: TaskRegistryOptions = {}) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Every task that is still kept, oldest first. */
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
      questions: new Map(),
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

  /** As if its time had run out. */
  forget(id: string): void {
    this.#entries.get(id)?.abort.abort();
    this.#entries.delete(id);
  }

  /** Keys that nobody asked for are ignored. */
  answer(id: string, answers: Record<string, unknown>): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    for (const [key, answer] of Object.entries(answers)) {
      if (!entry.task.questions.delete(key)) continue;
      entry.answers.set(key, answer);
    }
    if (entry.task.questions.size === 0 && entry.task.status === 'input_required') entry.task.status = 'working';
    this.#tell(entry);
  }

  cancel(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined || isOver(entry.task)) return;
    entry.task.status = 'cancelled';
    entry.task.questions.clear();
    entry.abort.abort();
    this.#tell(entry);
  }

  /** Resolves at its next change; at once where it is over or gone. */
  async changed(id: string): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry === undefined || isOver(entry.task)) return;
    await new Promise<void>((resolve) => entry.changed.add(resolve));
  }

  /** Resolves when it is over. */
  async settled(id: string): Promise<void> {
    for (let task = this.find(id); task !== undefined && !isOver(task); task = this.find(id)) await this.changed(id);
  }

  async #run(entry: Entry, work: TaskWork): Promise<void> {
    const { task, abort } = entry;
    const settle = (status: ServedTaskStatus, rest: Partial<ServedTask>): void => {
      if (isOver(task)) return;
      Object.assign(task, { status, ...rest });
      this.#tell(entry);
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
        this.#tell(entry);
      },
      ask: async (questions) => {
        for (const [key, question] of Object.entries(questions)) task.questions.set(key, question);
        task.status = 'input_required';
        this.#tell(entry);
        while (Object.keys(questions).some((key) => !answers.has(key))) {
          await this.changed(task.id);
          if (signal.aborted) throw new Error('cancelled');
        }
        return Object.fromEntries(answers);
      },
      sleep: (ms) =>
        new Promise((resolve, reject) => {
          const callOff = this.#clock.after(ms, resolve);
          signal.addEventListener('abort', () => {
            callOff();
            reject(new Error('cancelled'));
          });
        }),
    };
  }

  #tell(entry: Entry): void {
    entry.task.changedAt = this.#clock.now();
    const waiting = [...entry.changed];
    entry.changed.clear();
    for (const resolve of waiting) resolve();
  }
}

function isOver({ status }: ServedTask): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}
