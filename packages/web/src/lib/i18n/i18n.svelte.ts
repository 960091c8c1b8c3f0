import { untrack } from 'svelte';
import { browserValue } from '../browser-storage.ts';
import type { LazyNamespace, MessageKey, MessageValues, Namespaces } from './texts.ts';
import { lookUp } from './texts.ts';
import { messages as english } from './en/index.ts';
import type { Locale } from './locale.ts';
import { chooseLocale, isLocale } from './locale.ts';
import { formatMessage } from './message.ts';

/** Null: the user has not chosen a language. */
const choice = browserValue<Locale | 'system' | null>('language', {
  version: 1,
  read: (value) => (value === 'system' || isLocale(value) ? value : undefined),
  fallback: null,
});

/** The texts of the first paint; English is part of the page. */
const firstTexts: Record<Locale, () => Promise<Namespaces>> = {
  en: async () => english,
  'zh-Hant': async () => (await import('./zh-Hant/index.ts')).messages,
  'zh-Hans': async () => (await import('./zh-Hans/index.ts')).messages,
};

/** All others by file, each a chunk of its own. A test checks that every language has the same texts. */
const lateTexts: Record<Locale, Record<string, () => Promise<Namespaces>>> = {
  en: import.meta.glob<Namespaces>(['./*.ts', '!./{index,lazy,chat,common,composer,errors,setup,sidebar,tools}.ts'], {
    base: './en',
  }),
  'zh-Hant': import.meta.glob<Namespaces>(['./*.ts', '!./{index,chat,common,composer,errors,setup,sidebar,tools}.ts'], {
    base: './zh-Hant',
  }),
  'zh-Hans': import.meta.glob<Namespaces>(['./*.ts', '!./{index,chat,common,composer,errors,setup,sidebar,tools}.ts'], {
    base: './zh-Hans',
  }),
};

/** The namespace `runList` is in `run-list.ts`. */
async function loadLate(locale: Locale, name: LazyNamespace): Promise<Namespaces> {
  // The server writes its texts in English.
  if (locale === 'en' && name === 'serverTexts') return { serverTexts: {} };
  const file = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const read = lateTexts[locale][`./${file}.ts`];
  if (read === undefined) throw new Error(`There is no file ${locale}/${file}.ts.`);
  return read();
}

function getLocale(chosen: Locale | 'system'): Locale {
  return chosen === 'system' ? chooseLocale(navigator.languages) : chosen;
}

class I18n {
  /** The language the user chose; `system` follows the browser. */
  choice: Locale | 'system' = $state('system');
  /** The language of the page. */
  locale: Locale = $state('en');
  #texts: Namespaces = $state.raw(english);
  /** The language if the user has not chosen one. */
  #serverDefault: Locale | 'system' = 'system';
  readonly #needed = new Set<LazyNamespace>();

  /** Loads the language of the page. Await it before the first paint, so that the language does not change visibly. */
  async start(serverDefault: Locale | 'system'): Promise<void> {
    choice.watch((changed) => void this.#show(changed ?? this.#serverDefault));
    await this.useDefault(serverDefault);
  }

  async useDefault(serverDefault: Locale | 'system'): Promise<void> {
    this.#serverDefault = serverDefault;
    await this.#show(choice.get() ?? serverDefault);
  }

  /** Starts loading the language that {@link start} will most likely show. */
  preload(): void {
    firstTexts[getLocale(choice.get() ?? 'system')]().catch(() => undefined);
  }

  async choose(locale: Locale | 'system'): Promise<void> {
    choice.set(locale);
    await this.#show(locale);
  }

  /**
   * Loads namespaces. Await it before rendering a part of the page that is loaded on demand.
   *
   * Untracked: a template that awaits it must not render that part again whenever other texts arrive.
   */
  need(...names: LazyNamespace[]): Promise<void> {
    return untrack(() => this.#load(names));
  }

  async #load(names: readonly LazyNamespace[]): Promise<void> {
    for (const name of names) this.#needed.add(name);
    while (names.some((name) => this.#texts[name] === undefined)) {
      const { locale } = this;
      const texts = await this.#read(locale);
      if (locale === this.locale) this.#texts = texts;
    }
  }

  text(key: string): ReturnType<typeof lookUp> {
    return lookUp(this.#texts, key);
  }

  async #show(chosen: Locale | 'system'): Promise<void> {
    const locale = getLocale(chosen);
    const loaded = await this.#read(locale);
    this.choice = chosen;
    this.locale = locale;
    this.#texts = loaded;
    document.documentElement.lang = locale;
  }

  async #read(locale: Locale): Promise<Namespaces> {
    const needed = [...this.#needed];
    const [first, ...late] = await Promise.all([firstTexts[locale](), ...needed.map((name) => loadLate(locale, name))]);
    // More namespaces were requested meanwhile.
    if (needed.length < this.#needed.size) return this.#read(locale);
    return Object.assign({}, first, ...late) as Namespaces;
  }
}

export const i18n = new I18n();

/**
 * Returns the text of a key in the language of the page, with its placeholders filled in. Reactive in templates.
 *
 * @example
 * t('chat.stop')
 * t('chat.tools', { count: 3 })
 */
export function t<K extends MessageKey>(key: K, ...values: MessageValues<K>): string {
  const text = i18n.text(key);
  return text === undefined ? key : formatMessage(text, values[0] ?? {}, i18n.locale);
}
