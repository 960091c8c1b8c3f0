/** What can be told of a text without reading it as a shell would. */
export type LiteralText = {
  /** The text without quotes: every word of a shell is a piece of it, but for the quotes the word has itself. */
  bare: string;
  /** A word may hold what says where a file lies: a slash, a tilde, two dots, or what nobody knows before it runs. */
  mayHoldPath: boolean;
};

/** Null for a text whose words may be put together from elsewhere: variables, escapes, lists, substitutions. */
export function readLiterally(text: string): LiteralText | null {
  let traits = 0;
  let lists = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const trait = code < 128 ? (TRAITS[code] ?? 0) : code >= 0xe000 && code <= 0xe002 ? PUT_TOGETHER : 0;
    if (trait === 0) continue;
    if (trait === PUT_TOGETHER || (trait === LIST && ++lists > MOST_IN_LIST)) return null;
    traits |= trait;
  }
  const bare = (traits & QUOTE) === 0 ? text : text.replace(/["']/g, '');
  const mayHoldPath = (traits & SLASH) !== 0 || ((traits & ANGLE) !== 0 && /[<>]\(/.test(text)) || bare.includes('..');
  return { bare, mayHoldPath };
}

/** With more of them in one word a shell would not be followed to the end. */
const MOST_IN_LIST = 60;

const PUT_TOGETHER = 1;
const QUOTE = 2;
const SLASH = 4;
const ANGLE = 8;
const LIST = 16;

const TRAITS = new Uint8Array(128);
for (const [characters, trait] of [
  ['\0$`\\{', PUT_TOGETHER],
  ['"\'', QUOTE],
  ['/~', SLASH],
  ['<>', ANGLE],
  [',}', LIST],
] as const) {
  for (const character of characters) TRAITS[character.charCodeAt(0)] = trait;
}
