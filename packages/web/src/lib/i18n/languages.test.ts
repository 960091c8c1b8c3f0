import { describe, expect, it } from 'vitest';
import type { SettingTexts } from '../settings/setting-translations.ts';
import { SETTING_TEXTS } from '../settings/setting-translations.ts';
import type { Locale } from './locale.ts';
import { chooseLocale } from './locale.ts';
import type { MessageText } from './message.ts';

describe('chooseLocale', () => {
  it.each([
    [['zh-TW', 'en'], 'zh-Hant'],
    [['zh-HK'], 'zh-Hant'],
    [['zh-Hant-CN'], 'zh-Hant'],
    [['zh-CN'], 'zh-Hans'],
    [['zh'], 'zh-Hans'],
    [['zh-Hans-HK'], 'zh-Hans'],
    [['yue'], 'zh-Hant'],
    [['de-DE', 'zh-SG'], 'zh-Hans'],
    [['en-GB', 'zh-TW'], 'en'],
    [['fr'], 'en'],
    [[], 'en'],
  ])('%j: %s', (preferred, locale) => {
    expect(chooseLocale(preferred)).toBe(locale);
  });
});

type Texts = Readonly<Record<string, Readonly<Record<string, MessageText>>>>;
type Flat = Record<string, MessageText>;

/** Every namespace, including those loaded on demand. */
const english = namespaces('en', import.meta.glob<Texts>(['./en/*.ts', '!**/{index,lazy}.ts'], { eager: true }));
const traditional = namespaces('zh-Hant', import.meta.glob<Texts>(['./zh-Hant/*.ts', '!**/index.ts'], { eager: true }));
const simplified = namespaces('zh-Hans', import.meta.glob<Texts>(['./zh-Hans/*.ts', '!**/index.ts'], { eager: true }));

it('English texts of the page call a conversation a chat', () => {
  const modules = import.meta.glob<Texts>(['./en/*.ts', '!**/{index,lazy}.ts'], { eager: true });
  const texts = flat(Object.assign({}, ...Object.values(modules)) as Texts);
  expect(Object.keys(texts).filter((key) => /conversation/i.test(allForms(texts[key])))).toEqual([]);
});

/** The types check that every text exists. */
describe.each([
  ['zh-Hant', traditional],
  ['zh-Hans', simplified],
])('texts in %s', (locale, messages) => {
  const texts = flat(messages);
  // The key of a text of the server is its English template.
  const templates = Object.keys(traditional['serverTexts'] ?? {});
  const original = flat({ ...english, serverTexts: Object.fromEntries(templates.map((text) => [text, text])) });

  it('have the same placeholders as in English', () => {
    const values = (all: Flat) => Object.fromEntries(Object.entries(all).map(([key, text]) => [key, valuesIn(text)]));
    expect(values(texts)).toEqual(values(original));
  });

  it('use one term per concept', () => {
    // Legacy plugins are those of LobeChat's chat (聊天); a session (会话) is one of a browser or of MCP.
    const other = locale === 'zh-Hant' ? /聊天(?!外掛)|会话|你/ : /聊天(?!插件)|會話|你/;
    expect(Object.keys(texts).filter((key) => other.test(allForms(texts[key])))).toEqual([]);
  });

  it('use the Chinese word for tokens', () => {
    const withoutPlaceholders = (text: MessageText): string =>
      (typeof text === 'string' ? text : text.other).replaceAll(/\{\w+\}/g, '');
    expect(Object.keys(texts).filter((key) => /token/i.test(withoutPlaceholders(texts[key] ?? '')))).toEqual([]);
  });

  it('are translated', () => {
    const untranslated = Object.keys(texts).filter((key) => isSentence(texts[key]) && texts[key] === original[key]);
    expect(untranslated).toEqual([]);
  });
});

/** Includes the texts of the settings form, each setting as a namespace. */
function namespaces(locale: Locale, modules: Readonly<Record<string, Texts>>): Texts {
  return Object.assign({}, ...Object.values(modules), settingTexts(locale)) as Texts;
}

function settingTexts(locale: Locale): Texts {
  return Object.fromEntries(
    Object.entries<SettingTexts>(SETTING_TEXTS).map(([path, { options, ...texts }]) => [
      path,
      Object.fromEntries(Object.entries({ ...texts, ...options }).map(([name, text]) => [name, text[locale]])),
    ]),
  );
}

function flat(messages: Texts): Flat {
  const pairs = Object.entries(messages).flatMap(([namespace, texts]) =>
    Object.entries(texts).map(([key, text]) => [`${namespace}.${key}`, text] as const),
  );
  return Object.fromEntries(pairs);
}

function allForms(text: MessageText | undefined): string {
  return typeof text === 'object' ? Object.values(text).join(' ') : (text ?? '');
}

function valuesIn(text: MessageText): string[] {
  const whole = typeof text === 'string' ? text : text.other;
  return [...whole.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '').sort();
}

/** Names and URLs are not translated. */
function isSentence(text: MessageText | undefined): boolean {
  return typeof text === 'string' && /[a-z]{3,} [a-z]{2,}/i.test(text);
}

/** Their counts are limits. */
const LIMITS = /^errors\./;

it('English texts that count something have a singular', () => {
  const counted = Object.entries(flat(english)).filter(
    ([key, text]) =>
      !LIMITS.test(key) &&
      typeof text === 'string' &&
      /(?<!(?:most|first|than|of) )\{count\} (?:more )?[a-z]+s\b/.test(text),
  );
  expect(counted).toEqual([]);
});
