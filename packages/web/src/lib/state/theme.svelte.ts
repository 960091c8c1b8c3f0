import { stored } from '../browser-storage.ts';

export type ThemeChoice = 'system' | 'light' | 'dark';

// app.html reads the same key before the first paint.
const kept = stored<ThemeChoice>('theme', {
  version: 1,
  read: (value) => (value === 'light' || value === 'dark' || value === 'system' ? value : undefined),
  fallback: 'system',
});

class Theme {
  choice: ThemeChoice = $state('system');
  /** What is shown now. */
  shown: 'light' | 'dark' = $state('light');

  start(): void {
    const system = matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', () => this.#apply(this.choice));
    kept.watch((choice) => this.#apply(choice));
    this.#apply(kept.get());
  }

  choose(choice: ThemeChoice): void {
    kept.set(choice);
    this.#apply(choice);
  }

  #apply(choice: ThemeChoice): void {
    const dark = choice === 'system' ? matchMedia('(prefers-color-scheme: dark)').matches : choice === 'dark';
    this.choice = choice;
    this.shown = dark ? 'dark' : 'light';
    document.documentElement.dataset['theme'] = this.shown;
  }
}

export const theme = new Theme();
