import { describe, expect, it } from 'vitest';
import type { SettingTexts } from '../settings/setting-translations.ts';
import { SETTING_TEXTS } from '../settings/setting-translations.ts';
import type { Locale } from './locale.ts';
import { chooseLocale } from './locale.ts';
import type { MessageText } from './message.ts';

describe('the language of the page', () => {
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
  ])('for a person who reads %j is %s', (wanted, locale) => {
    expect(chooseLocale(wanted)).toBe(locale);
  });
});

type Texts = Readonly<Record<string, Readonly<Record<string, MessageText>>>>;
type Flat = Record<string, MessageText>;

/** Every namespace, also those that are loaded when something of them is shown. */
const english = namespaces('en', import.meta.glob<Texts>(['./en/*.ts', '!**/{index,late}.ts'], { eager: true }));
const traditional = namespaces('zh-Hant', import.meta.glob<Texts>(['./zh-Hant/*.ts', '!**/index.ts'], { eager: true }));
const simplified = namespaces('zh-Hans', import.meta.glob<Texts>(['./zh-Hans/*.ts', '!**/index.ts'], { eager: true }));

/** That every text is there, the types see to; what a text says they do not. */
describe.each([
  ['zh-Hant', traditional],
  ['zh-Hans', simplified],
])('the texts in %s', (_locale, messages) => {
  const texts = flat(messages);

  it('take the same values as the English ones', () => {
    const values = (all: Flat) => Object.fromEntries(Object.entries(all).map(([key, text]) => [key, valuesIn(text)]));
    expect(values(texts)).toEqual(values(flat(english)));
  });

  it('call tokens by one word', () => {
    const said = (text: MessageText): string =>
      (typeof text === 'string' ? text : text.other).replaceAll(/\{\w+\}/g, '');
    expect(Object.keys(texts).filter((key) => /token/i.test(said(texts[key] ?? '')))).toEqual([]);
  });

  it('are not left in English', () => {
    const original = flat(english);
    const left = Object.keys(texts).filter((key) => isSentence(texts[key]) && texts[key] === original[key]);
    expect(left).toEqual([]);
  });
});

/** With the texts of the settings of the form, each a namespace of its own. */
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

function valuesIn(text: MessageText): string[] {
  const whole = typeof text === 'string' ? text : text.other;
  return [...whole.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '').sort();
}

/** Names and addresses stay what they are. */
function isSentence(text: MessageText | undefined): boolean {
  return typeof text === 'string' && /[a-z]{3,} [a-z]{2,}/i.test(text);
}
