import type { AskServerInterrupt } from '../run-host.ts';
import type { InterruptAnswer } from '@toolyard/protocol';

/** An answer from the inbox of the run. */
type InboxAnswer = { itemId: string; interruptId: string; answer: InterruptAnswer };

/** Interrupts of servers during open calls of one run, until they are answered over the API. */
export class LiveInterrupts {
  readonly #waiting = new Map<string, (answer: InterruptAnswer) => void>();

  /** Rejects when the call no longer waits for the answer. */
  readonly ask: AskServerInterrupt = ({ id }, { signal }) =>
    new Promise((resolve, reject) => {
      const over = (): void => {
        this.#waiting.delete(id);
        reject(new Error('The call no longer waits for this answer.'));
      };
      if (signal.aborted) return over();
      signal.addEventListener('abort', over, { once: true });
      this.#waiting.set(id, (answer) => {
        signal.removeEventListener('abort', over);
        this.#waiting.delete(id);
        resolve(answer);
      });
    });

  /** Passes answers to the calls that wait for them; returns the inbox items that are thereby handled. */
  deliver(answers: readonly InboxAnswer[]): string[] {
    return answers.flatMap(({ itemId, interruptId, answer }) => {
      const take = this.#waiting.get(interruptId);
      take?.(answer);
      return take ? [itemId] : [];
    });
  }
}
