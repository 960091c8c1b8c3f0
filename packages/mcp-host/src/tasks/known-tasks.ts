import type { Clock, TaskHandle } from '@toolyard/protocol';

/** The oldest are forgotten first; a task that a call waits for is followed nevertheless. */
const MAX_TASKS = 50;

export type KnownTask = { handle: TaskHandle; startedAt: number };

/** The tasks that calls of this process became, oldest first: modern servers list none. */
export class KnownTasks {
  readonly #clock: Clock;
  readonly #tasks = new Map<string, KnownTask>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get all(): readonly KnownTask[] {
    return [...this.#tasks.values()];
  }

  find(taskId: string): KnownTask | undefined {
    return this.#tasks.get(taskId);
  }

  add(handle: TaskHandle): void {
    if (this.#tasks.has(handle.taskId)) return;
    this.#tasks.set(handle.taskId, { handle, startedAt: this.#clock.now() });
    const [oldest] = this.#tasks.keys();
    if (this.#tasks.size > MAX_TASKS && oldest !== undefined) this.#tasks.delete(oldest);
  }
}
