import { i18n } from '../../i18n/i18n.svelte.ts';
import type * as Parts from './card-body.ts';

/** Parts of a card that are loaded after the first page load. */
class CardBody {
  parts: typeof Parts | null = $state.raw(null);
  failed = $state(false);
  #loading = false;

  async load(): Promise<void> {
    if (this.parts !== null || this.#loading) return;
    this.#loading = true;
    this.failed = false;
    try {
      // All texts together: a card that grows after it is shown moves its buttons.
      [this.parts] = await Promise.all([import('./card-body.ts'), i18n.need('cards', 'questions')]);
    } catch {
      this.failed = true;
    } finally {
      this.#loading = false;
    }
  }
}

export const cardBody = new CardBody();
