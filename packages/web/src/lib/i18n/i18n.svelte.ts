import { untrack } from 'svelte';
import { browserValue } from '../browser-storage.ts';
import type { Catalogue, LazyNamespace, LazyTexts, MessageKey, MessageValues, Namespaces } from './catalogue.ts';
import { lookUp } from './catalogue.ts';
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

const loaders: Record<Locale, () => Promise<Catalogue>> = {
  en: async () => english,
  'zh-Hant': async () => (await import('./zh-Hant/index.ts')).messages,
  'zh-Hans': async () => (await import('./zh-Hans/index.ts')).messages,
};

const lateLoaders: { [N in LazyNamespace]: Record<Locale, () => Promise<{ [K in N]: LazyTexts<N> }>> } = {
  servers: {
    en: () => import('./en/servers.ts'),
    'zh-Hant': () => import('./zh-Hant/servers.ts'),
    'zh-Hans': () => import('./zh-Hans/servers.ts'),
  },
  settings: {
    en: () => import('./en/settings.ts'),
    'zh-Hant': () => import('./zh-Hant/settings.ts'),
    'zh-Hans': () => import('./zh-Hans/settings.ts'),
  },
  mcp: {
    en: () => import('./en/mcp.ts'),
    'zh-Hant': () => import('./zh-Hant/mcp.ts'),
    'zh-Hans': () => import('./zh-Hans/mcp.ts'),
  },
  models: {
    en: () => import('./en/models.ts'),
    'zh-Hant': () => import('./zh-Hant/models.ts'),
    'zh-Hans': () => import('./zh-Hans/models.ts'),
  },
  apps: {
    en: () => import('./en/apps.ts'),
    'zh-Hant': () => import('./zh-Hant/apps.ts'),
    'zh-Hans': () => import('./zh-Hans/apps.ts'),
  },
  cards: {
    en: () => import('./en/cards.ts'),
    'zh-Hant': () => import('./zh-Hant/cards.ts'),
    'zh-Hans': () => import('./zh-Hans/cards.ts'),
  },
  context: {
    en: () => import('./en/context.ts'),
    'zh-Hant': () => import('./zh-Hant/context.ts'),
    'zh-Hans': () => import('./zh-Hans/context.ts'),
  },
  find: {
    en: () => import('./en/find.ts'),
    'zh-Hant': () => import('./zh-Hant/find.ts'),
    'zh-Hans': () => import('./zh-Hans/find.ts'),
  },
  frames: {
    en: () => import('./en/frames.ts'),
    'zh-Hant': () => import('./zh-Hant/frames.ts'),
    'zh-Hans': () => import('./zh-Hans/frames.ts'),
  },
  agents: {
    en: () => import('./en/agents.ts'),
    'zh-Hant': () => import('./zh-Hant/agents.ts'),
    'zh-Hans': () => import('./zh-Hans/agents.ts'),
  },
  inbox: {
    en: () => import('./en/inbox.ts'),
    'zh-Hant': () => import('./zh-Hant/inbox.ts'),
    'zh-Hans': () => import('./zh-Hans/inbox.ts'),
  },
  inspect: {
    en: () => import('./en/inspect.ts'),
    'zh-Hant': () => import('./zh-Hant/inspect.ts'),
    'zh-Hans': () => import('./zh-Hans/inspect.ts'),
  },
  rich: {
    en: () => import('./en/rich.ts'),
    'zh-Hant': () => import('./zh-Hant/rich.ts'),
    'zh-Hans': () => import('./zh-Hans/rich.ts'),
  },
  rules: {
    en: () => import('./en/rules.ts'),
    'zh-Hant': () => import('./zh-Hant/rules.ts'),
    'zh-Hans': () => import('./zh-Hans/rules.ts'),
  },
  runs: {
    en: () => import('./en/runs.ts'),
    'zh-Hant': () => import('./zh-Hant/runs.ts'),
    'zh-Hans': () => import('./zh-Hans/runs.ts'),
  },
  offers: {
    en: () => import('./en/offers.ts'),
    'zh-Hant': () => import('./zh-Hant/offers.ts'),
    'zh-Hans': () => import('./zh-Hans/offers.ts'),
  },
  serverTexts: {
    en: () => Promise.resolve({ serverTexts: {} }),
    'zh-Hant': () => import('./zh-Hant/server-texts.ts'),
    'zh-Hans': () => import('./zh-Hans/server-texts.ts'),
  },
  memory: {
    en: () => import('./en/memory.ts'),
    'zh-Hant': () => import('./zh-Hant/memory.ts'),
    'zh-Hans': () => import('./zh-Hans/memory.ts'),
  },
  schedules: {
    en: () => import('./en/schedules.ts'),
    'zh-Hant': () => import('./zh-Hant/schedules.ts'),
    'zh-Hans': () => import('./zh-Hans/schedules.ts'),
  },
  skills: {
    en: () => import('./en/skills.ts'),
    'zh-Hant': () => import('./zh-Hant/skills.ts'),
    'zh-Hans': () => import('./zh-Hans/skills.ts'),
  },
  previews: {
    en: () => import('./en/previews.ts'),
    'zh-Hant': () => import('./zh-Hant/previews.ts'),
    'zh-Hans': () => import('./zh-Hans/previews.ts'),
  },
  problems: {
    en: () => import('./en/problems.ts'),
    'zh-Hant': () => import('./zh-Hant/problems.ts'),
    'zh-Hans': () => import('./zh-Hans/problems.ts'),
  },
  interrupts: {
    en: () => import('./en/interrupts.ts'),
    'zh-Hant': () => import('./zh-Hant/interrupts.ts'),
    'zh-Hans': () => import('./zh-Hans/interrupts.ts'),
  },
  access: {
    en: () => import('./en/access.ts'),
    'zh-Hant': () => import('./zh-Hant/access.ts'),
    'zh-Hans': () => import('./zh-Hans/access.ts'),
  },
  groups: {
    en: () => import('./en/groups.ts'),
    'zh-Hant': () => import('./zh-Hant/groups.ts'),
    'zh-Hans': () => import('./zh-Hans/groups.ts'),
  },
  runList: {
    en: () => import('./en/run-list.ts'),
    'zh-Hant': () => import('./zh-Hant/run-list.ts'),
    'zh-Hans': () => import('./zh-Hans/run-list.ts'),
  },
  subAgents: {
    en: () => import('./en/sub-agents.ts'),
    'zh-Hant': () => import('./zh-Hant/sub-agents.ts'),
    'zh-Hans': () => import('./zh-Hans/sub-agents.ts'),
  },
  tasks: {
    en: () => import('./en/tasks.ts'),
    'zh-Hant': () => import('./zh-Hant/tasks.ts'),
    'zh-Hans': () => import('./zh-Hans/tasks.ts'),
  },
  usage: {
    en: () => import('./en/usage.ts'),
    'zh-Hant': () => import('./zh-Hant/usage.ts'),
    'zh-Hans': () => import('./zh-Hans/usage.ts'),
  },
};

function localeOf(chosen: Locale | 'system'): Locale {
  return chosen === 'system' ? chooseLocale(navigator.languages) : chosen;
}

class I18n {
  /** The language the user chose; `system` follows the browser. */
  choice: Locale | 'system' = $state('system');
  /** The language of the page. */
  locale: Locale = $state('en');
  #catalogue: Namespaces = $state.raw(english);
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
    loaders[localeOf(choice.get() ?? 'system')]().catch(() => undefined);
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
    while (names.some((name) => this.#catalogue[name] === undefined)) {
      const { locale } = this;
      const texts = await this.#read(locale);
      if (locale === this.locale) this.#catalogue = texts;
    }
  }

  text(key: string): ReturnType<typeof lookUp> {
    return lookUp(this.#catalogue, key);
  }

  async #show(chosen: Locale | 'system'): Promise<void> {
    const locale = localeOf(chosen);
    const catalogue = await this.#read(locale);
    this.choice = chosen;
    this.locale = locale;
    this.#catalogue = catalogue;
    document.documentElement.lang = locale;
  }

  async #read(locale: Locale): Promise<Namespaces> {
    const needed = [...this.#needed];
    const [first, ...late] = await Promise.all([
      loaders[locale](),
      ...needed.map((name): Promise<Namespaces> => lateLoaders[name][locale]()),
    ]);
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
