import { browserValue } from '../browser-storage.ts';

export type ThemeChoice = 'system' | 'light' | 'dark';

export function isThemeChoice(value: unknown): value is ThemeChoice {
  return value === 'light' || value === 'dark' || value === 'system';
}

// app.html reads the same key before the first paint. Null: never chosen.
const kept = browserValue<ThemeChoice | null>('theme', {
  version: 1,
  read: (value) => (isThemeChoice(value) ? value : undefined),
  fallback: null,
});

/** The operator's theme, if it is not the system's: app.html applies it on the next visit. */
const keptOperatorTheme = browserValue<ThemeChoice>('operator-theme', {
  version: 1,
  read: (value) => (isThemeChoice(value) ? value : undefined),
  fallback: 'system',
});

class Theme {
  choice: ThemeChoice = $state('system');
  /** The active theme. */
  shown: 'light' | 'dark' = $state('light');

  /** The theme if the user has chosen none. */
  #byOperator: ThemeChoice = 'system';
  #isPrinting = false;

  start(byOperator: ThemeChoice): void {
    const system = matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', () => this.#apply(this.choice));
    kept.watch((choice) => this.#apply(choice ?? this.#byOperator));
    this.useDefault(byOperator);
  }

  useDefault(byOperator: ThemeChoice): void {
    this.#byOperator = byOperator;
    this.#apply(kept.get() ?? byOperator);
    keptOperatorTheme.set(byOperator);
  }

  /** Paper is light, also if the theme changes meanwhile. */
  print(isPrinting: boolean): void {
    this.#isPrinting = isPrinting;
    this.#apply(this.choice);
  }

  choose(choice: ThemeChoice): void {
    kept.set(choice);
    this.#apply(choice);
  }

  #apply(choice: ThemeChoice): void {
    const dark = choice === 'system' ? matchMedia('(prefers-color-scheme: dark)').matches : choice === 'dark';
    this.choice = choice;
    this.shown = dark && !this.#isPrinting ? 'dark' : 'light';
    document.documentElement.dataset['theme'] = this.shown;
  }
}

export const theme = new Theme();
