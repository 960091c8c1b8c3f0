/** What a card forgets when it is scrolled out of the list is kept here, as long as the page is open. */
export type CardState = { unfolded?: boolean; text?: string };

const MOST = 500;

export class CardMemory {
  readonly #states = new Map<string, CardState>();

  get(callKey: string): CardState {
    return this.#states.get(callKey) ?? {};
  }

  change(callKey: string, change: CardState): void {
    const state = { ...this.get(callKey), ...change };
    // The newest stand last.
    this.#states.delete(callKey);
    this.#states.set(callKey, state);
    const [oldest] = this.#states.keys();
    if (this.#states.size > MOST && oldest !== undefined) this.#states.delete(oldest);
  }
}

export const cardMemory = new CardMemory();
