import { i18n } from '../i18n/i18n.svelte.ts';
import { during } from './loads.ts';
import type * as RichIndex from './rich/index.ts';

type Parts = typeof RichIndex;

/**
 * What answers need beyond text: code blocks, tables, formulas, diagrams, footnotes, alerts. Loaded with the first
 * answer that has one of them; until then, and if that fails, they are shown without their controls.
 */
class RichParts {
  #parts: Parts | null = $state.raw(null);
  #isRequested = false;

  /** Null until loaded; the first read starts loading. */
  get parts(): Parts | null {
    if (!this.#isRequested) void this.#load();
    return this.#parts;
  }

  async #load(): Promise<void> {
    this.#isRequested = true;
    try {
      const [parts] = await during(Promise.all([import('./rich/index.ts'), i18n.need('rich')]));
      this.#parts = parts;
    } catch {
      // The next answer tries again.
      this.#isRequested = false;
    }
  }
}

export const rich = new RichParts();
