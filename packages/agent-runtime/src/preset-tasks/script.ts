/** The writing system of most of a text. */
export type Script = 'latin' | 'han' | 'other';

/** A Han character is about a word: names and code in Latin letters do not make a Chinese text Latin. */
const HAN_WEIGHT = 4;
/** More letters of other scripts are not only names or symbols. */
const MAX_OTHER_SHARE = 1 / 6;

export function detectScript(text: string): Script {
  let latin = 0;
  let han = 0;
  let other = 0;
  for (const [letter] of text.matchAll(/\p{Letter}/gu)) {
    if (/\p{Script=Latin}/u.test(letter)) latin += 1;
    else if (/\p{Script=Han}/u.test(letter)) han += HAN_WEIGHT;
    else other += 1;
  }
  // Kana between Han characters is Japanese.
  if (latin + han === 0 || other > (latin + han) * MAX_OTHER_SHARE) return 'other';
  return han > latin ? 'han' : 'latin';
}

/** The script that a language is usually written in. */
export function scriptOfLanguage(tag: string): Script {
  try {
    const { script } = new Intl.Locale(tag).maximize();
    if (script === 'Latn') return 'latin';
    return script === 'Hans' || script === 'Hant' ? 'han' : 'other';
  } catch {
    return 'other';
  }
}
