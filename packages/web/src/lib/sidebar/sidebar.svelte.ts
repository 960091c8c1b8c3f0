import { tick } from 'svelte';
import { browserFlag } from '../browser-storage.ts';

const kept = browserFlag('sidebar', true);

/**
 * Whether the sidebar is open: beside the chat on a wide screen, which is stored; over it on a narrow one, which is
 * not.
 */
class Sidebar {
  wide = $state(true);
  beside = $state(true);
  over = $state(false);
  readonly shown: boolean = $derived(this.wide ? this.beside : this.over);
  /** The search field once it is mounted. */
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

  /** After a selection: on a narrow screen the sidebar closes. */
  closeOverlay(): void {
    this.over = false;
  }

  search(): void {
    const wasShown = this.shown;
    if (!wasShown) this.toggle();
    // Synchronously if possible: keys typed right after belong to the field.
    if (wasShown) this.focusSearch();
    else void tick().then(() => this.focusSearch());
  }
}

export const sidebar = new Sidebar();
