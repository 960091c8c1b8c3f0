import type { AskQuestion } from '../run-host.ts';
import type { InterruptAnswer } from '@toolyard/protocol';

/** An answer as it lies in the inbox of the run. */
type Given = { itemId: string; interruptId: string; answer: InterruptAnswer };

/** What servers ask inside the open calls of one run, until somebody answers at a door. */
export class LiveQuestions {
  readonly #waiting = new Map<string, (answer: InterruptAnswer) => void>();

  /** Rejects when nobody waits for the answer any more. */
  readonly ask: AskQuestion = ({ id }, { signal }) =>
    new Promise((resolve, reject) => {
      const over = (): void => {
        this.#waiting.delete(id);
        reject(new Error('Nobody waits for this answer any more.'));
      };
      if (signal.aborted) return over();
      signal.addEventListener('abort', over, { once: true });
      this.#waiting.set(id, (answer) => {
        signal.removeEventListener('abort', over);
        this.#waiting.delete(id);
        resolve(answer);
      });
    });

  /** Hands answers to whoever waits for them; gives the inbox items that are used up with that. */
  give(answers: readonly Given[]): string[] {
    return answers.flatMap(({ itemId, interruptId, answer }) => {
      const take = this.#waiting.get(interruptId);
      take?.(answer);
      return take ? [itemId] : [];
    });
  }
}
