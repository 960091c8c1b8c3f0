import type { ToolReference } from './schemas/common.ts';
import { showHidden } from './hidden-characters.ts';

/*
 * The rule for names of tools and servers: **a name is shown so that two different names never look the same.** A
 * character that takes the place of an ASCII one is written as its code point, and names that still look alike are
 * flagged. What is decided about a tool is always bound to its exact name and server, never to a shape.
 */

/** Characters that look like an ASCII letter in most fonts, by that letter. */
const TWINS: Readonly<Record<string, string>> = {
  a: 'аɑΑАᎪ',
  b: 'ΒВᏴ',
  c: 'сСϲϹᏟᴄ',
  d: 'ԁᎠ',
  e: 'еЕΕᎬ',
  g: 'ɡցᏀ',
  h: 'һհНΗᎻ',
  j: 'јЈϳͿյᎫ',
  k: 'КΚᏦ',
  l: 'іІΙӀӏᏆⲒɩǀᏞ',
  m: 'МΜᎷ',
  n: 'Νո',
  o: 'оОοΟօՕᴏ',
  p: 'рРρΡᏢ',
  q: 'ԛԚզ',
  s: 'ѕЅՏᏚꜱ',
  t: 'ТΤᎢ',
  u: 'սᴜ',
  v: 'νѵѴᏙᴠ',
  w: 'ԝԜᏔᴡ',
  x: 'хХΧ',
  y: 'уҮΥᎩ',
  z: 'ΖᏃᴢ',
};

/** Characters that can be mistaken for one at a glance. */
const SIMILAR: Readonly<Record<string, string>> = {
  a: 'αᴀ',
  b: 'вЬьβʙ',
  d: 'ᴅ',
  e: 'εєЄᴇҽ',
  f: 'ϝƒꜰ',
  g: 'ɢԌ',
  h: 'нʜ',
  k: 'кκᴋ',
  l: '1iI|ıιɪʟլ!',
  m: 'мᴍ',
  n: 'пηɴռ',
  o: '0σ',
  p: 'ᴘ',
  r: 'гʀᎡ',
  t: 'тτᴛ',
  u: 'υʋ',
  w: 'ѡωшщ',
  x: 'χ',
  y: 'Уγʏүყ',
  z: 'ζ',
};

const TWIN_LETTERS = new Set(Object.values(TWINS).join(''));
const LETTER_OF = new Map(
  [TWINS, SIMILAR].flatMap((table) =>
    Object.entries(table).flatMap(([letter, characters]) => [...characters].map((each) => [each, letter] as const)),
  ),
);

const PLAIN = /^[ -~]*$/;
/** Hidden characters divide no word. */
const WORD = /[\p{L}\p{M}\p{N}\p{Cf}\p{Cn}\p{Co}\u2800]+/gu;
const LATIN = /\p{Script=Latin}/u;
/** Chinese, Japanese and Korean words contain Latin letters without a space. */
const FOREIGN =
  /(?![\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Script=Hangul}])\p{L}/u;
const FOREIGNS = new RegExp(FOREIGN, 'gu');
/** Unassigned, for private use, or blank in all fonts. */
const NO_LETTER = /[\p{Cf}\p{Cn}\p{Co}\u2800]/u;
/** Marks that belong to a letter of any script; emoji have their own. */
const MARK = /(?![\ufe00-\ufe0f\u20e3\u3099\u309a])[\p{Script=Inherited}\p{Script=Common}]/u;
/** Spaces, hyphens, underscores and slashes other than those of ASCII, between two words. */
const SEPARATOR =
  /(?<=[\p{L}\p{M}\p{N}])(?![ -~\u3000\u301c\u3030])[\p{Pd}\p{Pc}\p{Zs}\u02cd\u2024\u2044\u2215\u2800\uff0e](?=[\p{L}\p{N}])/gu;

/**
 * The name of a tool or server for users: hidden characters, letters of another script within a word, look-alikes of
 * ASCII letters and separators are written as `⟨U+0435⟩`. A name in one script, such as 天氣 or погода, stays as it is.
 *
 * @example showName('gr\u0435et') // 'gr⟨U+0435⟩et'
 */
export function showName(name: string): string {
  if (PLAIN.test(name)) return name;
  const foreign = name.match(FOREIGNS) ?? [];
  const imitatesLatin = foreign.every((letter) => TWIN_LETTERS.has(letter));
  const shown = name
    .replace(SEPARATOR, codePoint)
    .replace(WORD, (word) => showWord(word, imitatesLatin || mixesScripts(word)));
  return showHidden(shown);
}

function showWord(word: string, escapesForeign: boolean): string {
  const isSimple = LATIN.test(word) || /[\p{Script=Greek}\p{Script=Cyrillic}]/u.test(word) || !/\p{L}/u.test(word);
  return [...word]
    .map((character) => {
      if (PLAIN.test(character)) return character;
      if (NO_LETTER.test(character)) return codePoint(character);
      if (isSimple && /\p{M}/u.test(character) && MARK.test(character)) return codePoint(character);
      if (escapesForeign && FOREIGN.test(character)) return codePoint(character);
      const isLatinTwin = LATIN.test(character) && TWIN_LETTERS.has(character);
      return isLatinTwin || isStyledAscii(character) ? codePoint(character) : character;
    })
    .join('');
}

/** A fullwidth, bold or otherwise styled form of ASCII letters or digits; `²` and `ª` are in ordinary use. */
function isStyledAscii(character: string): boolean {
  return /[\p{L}\p{Nd}\p{Nl}]/u.test(character) && !/[ªº]/.test(character) && PLAIN.test(character.normalize('NFKC'));
}

function mixesScripts(word: string): boolean {
  if (!FOREIGN.test(word)) return false;
  return LATIN.test(word) || (/\p{Script=Greek}/u.test(word) && /\p{Script=Cyrillic}/u.test(word));
}

function codePoint(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}

/**
 * Equal for names that users can mistake for one another: without case, separators, accents and invisible characters, with
 * look-alike characters unified. For comparison only.
 */
export function nameShape(name: string): string {
  const plain = name.normalize('NFKD').replace(/(?![\u3099\u309a])\p{Script=Inherited}/gu, '');
  const letters = [...plain].map((character) => LETTER_OF.get(character) ?? character.toLowerCase()).join('');
  const shape = letters
    .replace(/[^\p{L}\p{M}\p{N}]|[\u115f\u1160\u3164\uffa0]/gu, '')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w');
  return shape === '' ? name : shape;
}

/**
 * True for two different tools that users can mistake for one another. Tools of two servers often have the same name, or
 * one that differs in case and separators only: that is no imitation, and the server is shown with it.
 */
export function areLookalikes(one: ToolReference, other: ToolReference): boolean {
  const isSameServer = one.serverId === other.serverId;
  if ((isSameServer && one.name === other.name) || nameShape(one.name) !== nameShape(other.name)) return false;
  return isSameServer || spelling(one.name) !== spelling(other.name) || shapesClash(one.serverId, other.serverId);
}

function shapesClash(one: string, other: string): boolean {
  return nameShape(one) === nameShape(other);
}

function spelling(name: string): string {
  return name.toLowerCase().replace(/[ _./:-]+/g, '');
}
