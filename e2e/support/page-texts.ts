import { readdirSync } from 'node:fs';
import { formatMessage } from '../../packages/web/src/lib/i18n/message.ts';
import type { MessageText, Values } from '../../packages/web/src/lib/i18n/message.ts';
import { SETTING_TEXTS } from '../../packages/web/src/lib/settings/setting-translations.ts';

export type PageLocale = 'en' | 'zh-Hant' | 'zh-Hans';

type Namespaces = Record<string, Record<string, MessageText>>;

/** Returns the text of the page for `namespace.key` in one language. */
export type PageTexts = (key: string, values?: Values) => string;

/** Loads the texts of the page in one language. The returned function throws for unknown keys. */
export async function loadPageTexts(locale: PageLocale): Promise<PageTexts> {
  const namespaces = await loadNamespaces(locale);
  return (key, values = {}) => {
    const [namespace = '', name = ''] = key.split('.');
    const text = namespaces[namespace]?.[name];
    if (text === undefined) throw new Error(`The page has no text ${key}.`);
    return formatMessage(text, values, locale);
  };
}

/** The English texts that have a translation. */
export async function translatedTexts(): Promise<Set<string>> {
  const english = await loadNamespaces('en');
  const chinese = await loadNamespaces('zh-Hant');
  const texts = new Set<string>();
  for (const [namespace, messages] of Object.entries(english)) {
    for (const [key, message] of Object.entries(messages)) {
      if (typeof message === 'string' && message !== chinese[namespace]?.[key]) texts.add(message);
    }
  }
  // Texts of the server have their English template as the key.
  for (const template of Object.keys(chinese['serverTexts'] ?? {})) if (!template.includes('{')) texts.add(template);
  for (const { label, hint } of Object.values(SETTING_TEXTS)) {
    for (const text of [label, hint]) if (text.en !== text['zh-Hant']) texts.add(text.en);
  }
  return texts;
}

/** All namespaces, including those the page loads on demand. */
async function loadNamespaces(locale: PageLocale): Promise<Namespaces> {
  const folder = new URL(`../../packages/web/src/lib/i18n/${locale}/`, import.meta.url);
  const files = readdirSync(folder).filter((file) => file.endsWith('.ts') && !/^(index|lazy)\./.test(file));
  const modules = await Promise.all(files.map((file) => import(new URL(file, folder).href) as Promise<object>));
  return Object.assign({}, ...modules) as Namespaces;
}
