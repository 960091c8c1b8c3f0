import type { JsonObject } from '@toolyard/protocol';

/** What an app asks the user; all texts in it are the app's own. */
export type AppAsk =
  | { kind: 'call'; tool: string; args: JsonObject; danger: string | null }
  | { kind: 'link'; url: string }
  | { kind: 'message'; text: string }
  | { kind: 'download'; name: string; size: number };

type Open = AppAsk & { answer: (allowed: boolean) => void };

/** An app that asks faster than a user can answer must not fill the screen with dialogs. */
const MAX_WAITING = 3;

/** The questions of one app, shown one at a time. */
export class AppQuestions {
  #waiting: Open[] = $state.raw([]);

  get current(): Open | null {
    return this.#waiting[0] ?? null;
  }

  ask(question: AppAsk): Promise<boolean> {
    if (this.#waiting.length >= MAX_WAITING) {
      return Promise.reject(new Error('Too many questions to the user are open.'));
    }
    return new Promise((resolve) => {
      const open: Open = {
        ...question,
        answer: (allowed) => {
          this.#waiting = this.#waiting.filter((one) => one !== open);
          resolve(allowed);
        },
      };
      this.#waiting = [...this.#waiting, open];
    });
  }

  /** The app is gone: everything it asked for is denied. */
  denyAll(): void {
    for (const { answer } of this.#waiting) answer(false);
  }
}
