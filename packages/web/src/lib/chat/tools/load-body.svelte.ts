import { i18n } from '../../i18n/i18n.svelte.ts';
import { loadAgain } from '../../ui/when-loaded.ts';
import type * as Parts from './card-body.ts';

/** Parts of a card that are loaded after the first page load. */
class CardBody {
  parts: typeof Parts | null = $state.raw(null);
  failed = $state(false);
  #loading = false;

  load(): Promise<void> {
    return this.#follow(importParts);
  }

  /** After a failure. A browser that cached it needs a new page. */
  retry(): Promise<void> {
    return this.#follow(() => loadAgain(importParts));
  }

  async #follow(load: typeof importParts): Promise<void> {
    if (this.parts !== null || this.#loading) return;
    this.#loading = true;
    this.failed = false;
    try {
      this.parts = await load();
    } catch {
      this.failed = true;
    } finally {
      this.#loading = false;
    }
  }
}

/** All texts together: a card that grows after it is shown moves its buttons. */
async function importParts(): Promise<typeof Parts> {
  const [parts] = await Promise.all([import('./card-body.ts'), i18n.need('cards', 'interrupts')]);
  return parts;
}

export const cardBody = new CardBody();
