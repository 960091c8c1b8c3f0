import type { RunEvent } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';

const END: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** Passes the events of a run to one reader, in order, none lost; the run never waits for the reader. */
export class EventQueue {
  #events: RunEvent[] = [];
  /** Events before this index are read; shifting the array for each would be quadratic. */
  #read = 0;
  #waiting: ((result: IteratorResult<RunEvent, undefined>) => void)[] = [];
  #ended = false;
  #abandoned = false;
  #taken = false;

  push(event: RunEvent): void {
    if (this.#abandoned) return;
    const wake = this.#waiting.shift();
    if (wake) wake({ done: false, value: event });
    else this.#events.push(event);
  }

  end(): void {
    this.#ended = true;
    for (const wake of this.#waiting.splice(0)) wake(END);
  }

  /** Throws if there is a reader already: each of two would miss events. */
  read(): AsyncIterator<RunEvent, undefined> {
    if (this.#taken) {
      throw new ToolyardError({
        code: 'bad_request',
        message: 'The events of a run can be read only once, and another reader reads them already.',
      });
    }
    this.#taken = true;
    return {
      next: () => this.#next(),
      return: () => {
        this.#abandoned = true;
        this.#events = [];
        this.#read = 0;
        for (const wake of this.#waiting.splice(0)) wake(END);
        return Promise.resolve(END);
      },
    };
  }

  #next(): Promise<IteratorResult<RunEvent, undefined>> {
    const event = this.#events[this.#read];
    if (event) {
      this.#read++;
      if (this.#read === this.#events.length) {
        this.#events = [];
        this.#read = 0;
      }
      return Promise.resolve({ done: false, value: event });
    }
    if (this.#ended || this.#abandoned) return Promise.resolve(END);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
