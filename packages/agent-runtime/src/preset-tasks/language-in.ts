import type { TranslationLanguage } from '@toolyard/protocol';
import { TRANSLATION_LANGUAGES } from '@toolyard/protocol';

/** The languages that models explain their answers in. */
const NAMED_IN = ['en', 'zh-Hant', 'zh-Hans'] as const;

/**
 * The known language that a short answer names: by its tag, alone or marked in an explanation (`The language is "fr".`,
 * `fr (French)`), or by its name. Null for a tag of another language; undefined if the answer names none. A word in the
 * middle of a sentence is no tag: "is", "it" and "no" are tags too.
 */
export function languageIn(text: string): TranslationLanguage | null | undefined {
  const tags = candidates(text);
  for (const tag of tags) {
    const known = knownLanguage(tag);
    if (known !== null) return known;
  }
  const named = languageNamedIn(text);
  if (named !== undefined) return named;
  const [alone, ...others] = text.trim().split(/\s+/);
  return others.length === 0 && alone !== undefined && tags.some((tag) => maximized(tag) !== null) ? null : undefined;
}

/** The known language that a tag stands for: `zh-TW` is `zh-Hant`, `de-AT` is `de`. */
export function knownLanguage(tag: string): TranslationLanguage | null {
  const locale = maximized(tag.trim().replaceAll('_', '-'));
  if (locale === null) return null;
  const { language, script } = locale;
  const options = [`${language}-${String(script)}`, language === 'nb' || language === 'nn' ? 'no' : language];
  return TRANSLATION_LANGUAGES.find((known) => options.includes(known)) ?? null;
}

/** What may be a tag: a line of one word, its first word before a remark, marked words, what a sentence ends with. */
function candidates(text: string): string[] {
  const tag = '([a-z]{2,3}(?:[-_][a-z0-9]{2,8})*)';
  const places = [
    `^\\W*${tag}\\W*$`,
    `^\\W*${tag}\\s*(?=[(（:：—–,，]|-\\s)`,
    `["'\`“「『]${tag}["'\`”」』]`,
    `[*_]{2}${tag}[*_]{2}`,
    `[:：=]\\s*${tag}[\\s.,;。，]*$`,
    // "in" is an old tag of Indonesian, and a preposition.
    `\\bis\\s+(?!in\\b)${tag}[.。!]?\\s*$`,
  ];
  return places.flatMap((place) => [...text.matchAll(new RegExp(place, 'gim'))].flatMap(([, found]) => found ?? []));
}

let names: readonly (readonly [name: string, language: TranslationLanguage])[] | undefined;

/** The language whose name comes first; the longest name, if several begin there. */
function languageNamedIn(text: string): TranslationLanguage | undefined {
  names ??= TRANSLATION_LANGUAGES.flatMap((language) =>
    [...NAMED_IN, language].flatMap((inLanguage) =>
      (['dialect', 'standard'] as const).flatMap((languageDisplay) => {
        const name = new Intl.DisplayNames(inLanguage, { type: 'language', languageDisplay }).of(language);
        return name === undefined ? [] : spellings(name).map((spelling) => [spelling, language] as const);
      }),
    ),
  );
  const lower = text.toLowerCase();
  let best: { at: number; length: number; language: TranslationLanguage } | undefined;
  for (const [name, language] of names) {
    const at = lower.indexOf(name);
    if (at === -1 || (best !== undefined && (at > best.at || (at === best.at && name.length <= best.length)))) continue;
    best = { at, length: name.length, language };
  }
  return best?.language;
}

/** Chinese names of languages end with any of these characters, depending on the region. */
function spellings(name: string): string[] {
  const lower = name.toLowerCase();
  const stem = /^(\p{Script=Han}+)[文語语]$/u.exec(lower)?.[1];
  return stem === undefined ? [lower] : ['文', '語', '语'].map((end) => stem + end);
}

function maximized(tag: string): Intl.Locale | null {
  try {
    return new Intl.Locale(tag).maximize();
  } catch {
    return null;
  }
}
