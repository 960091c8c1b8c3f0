import { browserValue } from '../../browser-storage.ts';

/** How code blocks are shown, in this browser: chosen at one block, it applies to all. */
type Stored = { wraps: boolean; numbers: boolean };

const kept = browserValue<Stored>('code-view', {
  version: 1,
  read: (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return { wraps: value['wraps'] === true, numbers: value['numbers'] === true };
  },
  fallback: { wraps: false, numbers: false },
});

class CodeView {
  #stored: Stored = $state.raw(kept.get());

  get wraps(): boolean {
    return this.#stored.wraps;
  }

  get numbers(): boolean {
    return this.#stored.numbers;
  }

  toggle(name: keyof Stored): void {
    this.#stored = { ...this.#stored, [name]: !this.#stored[name] };
    kept.set(this.#stored);
  }
}

export const codeView = new CodeView();
