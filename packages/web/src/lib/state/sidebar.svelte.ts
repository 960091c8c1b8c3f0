import { tick } from 'svelte';
import { browserValue } from '../browser-storage.ts';

const kept = browserValue<boolean>('sidebar', {
  version: 1,
  read: (value) => (typeof value === 'boolean' ? value : undefined),
  fallback: true,
});

/** Whether the sidebar is shown: beside the chat on a wide screen, kept; over it on a narrow one, never kept. */
class Sidebar {
  wide = $state(true);
  beside = $state(true);
  over = $state(false);
  readonly shown: boolean = $derived(this.wide ? this.beside : this.over);
  /** Where the search field is, once it is there. */
  focusSearch: () => void = () => undefined;

  start(): void {
    const query = matchMedia('(min-width: 48rem)');
    query.addEventListener('change', () => {
      this.wide = query.matches;
      this.over = false;
    });
    this.wide = query.matches;
    this.beside = kept.get();
  }

  toggle(): void {
    if (this.wide) {
      this.beside = !this.beside;
      kept.set(this.beside);
    } else {
      this.over = !this.over;
    }
  }

  /** After something in it was chosen: on a narrow screen it makes way. */
  makeWay(): void {
    this.over = false;
  }

  search(): void {
    const wasShown = this.shown;
    if (!wasShown) this.toggle();
    // At once where it can be: what is typed right after belongs into the field.
    if (wasShown) this.focusSearch();
    else void tick().then(() => this.focusSearch());
  }
}

export const sidebar = new Sidebar();
