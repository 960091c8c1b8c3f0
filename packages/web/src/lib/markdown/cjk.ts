import { Lexer } from 'marked';

/**
 * Emphasis and addresses in texts without spaces between words (Chinese, Japanese, Korean), by the CJK-friendly amendment
 * of CommonMark (github.com/tats-u/markdown-cjk-friendly): beside `*` and `~~`, CJK punctuation counts as a letter, and a
 * CJK character counts as a boundary for other punctuation. `_` follows CommonMark: within a word it is text.
 */

/** Characters of East Asian width, and Hangul. */
const BASIC =
  '\\u1100-\\u11ff\\u2e80-\\u303e\\u3041-\\u33ff\\u3400-\\u4dbf\\u4e00-\\ua4cf\\ua960-\\ua97f\\uac00-\\ud7ff\\uf900-\\ufaff' +
  '\\ufe10-\\ufe1f\\ufe30-\\ufe6f\\uff01-\\uffee';
const CJK = `${BASIC}\\u{16fe0}-\\u{18dff}\\u{1aff0}-\\u{1b2ff}\\u{20000}-\\u{3fffd}`;

const HAS_CJK = new RegExp(`[${CJK}]`, 'u');
/** With punctuation that Chinese shares with other scripts: quotation marks, dashes, an ellipsis, a middle dot. */
const SHARED = '\\u00b7\\u2014\\u2015\\u2018-\\u201f\\u2026';
const WIDE = `${CJK}${SHARED}`;
/** The last character of a text is one, perhaps with the selector of a variant. */
const ENDS_IN_CJK = new RegExp(`[${WIDE}][\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]?$`, 'u');
const PUNCTUATION_AFTER_RUN = new RegExp(`^(?:\\*+|~~)(?![*~]|[${WIDE}])[\\p{P}\\p{S}]`, 'u');

/**
 * A bare address ends before any mark of a text around it: punctuation outside ASCII (but `·`, `・` and short dashes join
 * words of a path), a space without width, and before a CJK character a parenthesis that it does not open. Letters of
 * any script may be part of its path, but a CJK letter does not continue the name or the port of a server.
 */
const IN_ADDRESS = '(?:[!-~·・‐-–]|(?![\\p{P}\\u200b\\u2060\\u22ef\\uff01-\\uffee])[^\\s\\0-\\x7f])';
const ADDRESS_PART = `(?:\\((?:(?![<()])${IN_ADDRESS})*\\)?|\\)(?![${CJK}])|(?![<()])${IN_ADDRESS})`;
const AFTER_NAME = `(?:(?::\\d+|(?<=\\.[a-zA-Z\\d-]+))(?=[${CJK}])|${ADDRESS_PART}*)`;

/** The name before the `@` of an email address is not longer; each letter of a text may begin one. */
const MAX_NAME = '{1,64}';

const BASE = Lexer.rules.inline.gfm;

/** In all texts: one tilde is text, as in `5~10`. */
const ALWAYS = {
  ...BASE,
  url: new RegExp(
    BASE.url.source.replace('[^\\s<]*', () => AFTER_NAME).replace('._+-]+(@)', `._+-]${MAX_NAME}(@)`),
    'u',
  ),
  text: new RegExp(BASE.text.source.replaceAll('~-]+@', `~-]${MAX_NAME}@`)),
  delLDelim: new RegExp(`^~~(?!~)(?:([\\p{P}\\p{S}])|[^\\s])`, 'u'),
};

const IN_CJK = {
  ...ALWAYS,
  text: new RegExp(ALWAYS.text.source.replace('(?<![^\\s*_~(])www', () => `(?<![^\\s*_~(${BASIC}${SHARED}])www`)),
  emStrongLDelim: new RegExp(BASE.emStrongLDelim.source.replace('(?!~)', `(?!~|[${WIDE}])`), 'u'),
  emStrongRDelimAst: createEndPattern('*', '\\*+', '^[^_*]*?__[^_*]*?\\*[^_*]*?(?=__)|[^*]+(?=[^*])', '~'),
  delLDelim: new RegExp(`^~~(?!~)(?:((?![${WIDE}])[\\p{P}\\p{S}])|[^\\s])`, 'u'),
  delRDelim: createEndPattern('~', '~~?', '^[^~]+(?=[^~])'),
};

/** The rules for a text: those of CommonMark if it has no CJK character. */
export function inlineRulesFor(source: string): typeof BASE {
  return HAS_CJK.test(source) ? IN_CJK : ALWAYS;
}

/** Two marks and more begin a heading without a space before a CJK character; one is a hashtag. */
const HEADING = `#{2,6}(?=[${CJK}])`;
export const HEADING_LINE = new RegExp(`\\n${HEADING}`, 'u');
export const headingRule = new RegExp(
  Lexer.rules.block.gfm.heading.source.replace('(#{1,6})(?=\\s|$)', () => `(#{1,6}(?=\\s|$)|${HEADING})`),
  'u',
);

/**
 * The character before a run of `*` or `~~` as the rules of CommonMark see it.
 *
 * @param before the text up to the run
 */
export function boundaryBefore(source: string, before: string, last: string): string {
  return PUNCTUATION_AFTER_RUN.test(source) && ENDS_IN_CJK.test(before.slice(-4)) ? ' ' : last;
}

/**
 * The runs that may end a span, as marked groups them by the characters beside them: 1 and 2 only end, 3 and 4 only begin,
 * 5 and 6 may do both.
 *
 * @param letters punctuation that counts as a letter
 */
function createEndPattern(mark: string, run: string, skipped: string, letters = ''): RegExp {
  const cjk = `[${WIDE}]`;
  const own = mark === '*' ? '\\*' : mark;
  const punctuation = `(?!${[own, letters].filter(Boolean).join('|')}|${cjk})[\\p{P}\\p{S}]`;
  const letter = `(?!${cjk})(?:[^\\s\\p{P}\\p{S}]${letters === '' ? '' : `|${letters}`})`;
  const any = `(?:${letter}|${cjk})`;
  return new RegExp(
    [
      skipped,
      `${punctuation}(${run})(?=\\s|$)`,
      `(?:${letter}|${cjk}(?=(?:${run})(?:\\s|$)))(${run})(?!${own})(?=${punctuation}|\\s|$)`,
      `(?:\\s|${punctuation}(?=(?:${run})${letter}))(${run})(?=${any})`,
      `\\s(${run})(?!${own})(?=${punctuation})`,
      `(?:${punctuation}|${cjk})(${run})(?!${own})(?=${punctuation}|${cjk})`,
      `${any}(${run})(?=${any})`,
    ].join('|'),
    'gu',
  );
}
