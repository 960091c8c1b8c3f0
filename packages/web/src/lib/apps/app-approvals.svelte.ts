import type { AppCallVerdict, JsonObject } from '@toolyard/protocol';
import { MAX_OPEN_REQUESTS } from '@toolyard/protocol';

/** Why a call needs an answer of the user. */
export type AppApprovalReasons = Omit<Extract<AppCallVerdict, { decision: 'ask' }>, 'decision'>;

/** What an app asks the user; all texts in it are the app's own, except `why`. */
export type AppAsk =
  | { kind: 'call'; tool: string; args: JsonObject; why: AppApprovalReasons; lasting: readonly LastingAnswer[] }
  | { kind: 'link'; url: string }
  | { kind: 'message'; text: string }
  | { kind: 'download'; name: string; size: number };

/** An answer to later calls of the tool too: while the app is open, in this conversation, or everywhere. */
export type LastingAnswer = 'open' | 'conversation' | 'always' | 'never';
export type AppAnswer = 'once' | 'deny' | LastingAnswer;

type Open = AppAsk & { answer: (answer: AppAnswer) => void };

/** Denials in a row after which the app cannot ask any more until the user allows it. */
const MAX_DENIALS = 3;

/** What one app asks permission for, shown one at a time. */
export class AppApprovals {
  #waiting: Open[] = $state.raw([]);
  #denials = $state(0);

  get current(): Open | null {
    return this.#waiting[0] ?? null;
  }

  /** The user denied so many requests in a row that further ones are denied without being shown. */
  get isMuted(): boolean {
    return this.#denials >= MAX_DENIALS;
  }

  unmute(): void {
    this.#denials = 0;
  }

  /** Rejects if the request is not shown. */
  ask(request: AppAsk): Promise<AppAnswer> {
    if (this.isMuted) return Promise.reject(new Error('The user denied several questions, and is not asked again.'));
    if (this.#waiting.length >= MAX_OPEN_REQUESTS.perApp) {
      return Promise.reject(new Error('Too many questions to the user are open.'));
    }
    return new Promise((resolve) => {
      const open: Open = {
        ...request,
        answer: (answer) => {
          if (!this.#waiting.includes(open)) return;
          this.#waiting = this.#waiting.filter((one) => one !== open);
          this.#denials = answer === 'deny' || answer === 'never' ? this.#denials + 1 : 0;
          resolve(answer);
          if (this.isMuted) this.#denyWaiting();
        },
      };
      this.#waiting = [...this.#waiting, open];
    });
  }

  /** The app is gone: everything it asked for is denied. */
  reset(): void {
    this.#denyWaiting();
    this.#denials = 0;
  }

  #denyWaiting(): void {
    for (const { answer } of this.#waiting) answer('deny');
  }
}

export function isAllowed(answer: AppAnswer): boolean {
  return answer !== 'deny' && answer !== 'never';
}
