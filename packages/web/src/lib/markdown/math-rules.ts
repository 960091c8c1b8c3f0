/** A formula in a text. `raw` includes its delimiters. */
export type Formula = { raw: string; tex: string; display: boolean };

/** A longer formula is text: its end would be searched for again and again. */
const MAX_LENGTH = 4000;

const INLINE = /^\$((?:[^$\\\n`]|\\[^\n]|\n(?![ \t]*\n))+)\$/;
const DISPLAY = /^\$\$((?:[^$\\]|\\[^]|\$(?!\$))+)\$\$(?!\$)/;

/** Escaped brackets around text, which are not a formula. */
const IN_WORDS = /^\s*\p{L}{2,}[\p{L}\p{N}\s,.;:!?'’-]*$/u;
/** What a formula between dollars does not start with: punctuation of text, and shell variables such as `$?`. */
const NO_START = /^[\s,.;:!?@#&]/;
/** What it does not end with: an amount or path would continue after it, as in `$3-$4` and `$HOME/$USER`. */
const NO_END = /[\s\\/:,;=(-]$/;
/** What does not follow it: another amount, another variable. */
const NO_FOLLOWER = /^[\w$({]/;
/** An amount and a word, two words one after the other, or a single word with space around it. */
const IN_PROSE = [/^[\d.,]+[A-Za-z]*\s[^]*[A-Za-z]{2,}/, /[A-Za-z]{2,} +[A-Za-z]{2,}/, /^ +[A-Za-z]{2,} +$/];
/** Commands with their arguments, such as `\text{...}`: their words do not count. */
const COMMAND = /\\[A-Za-z]+\*?(?:\{[^{}]*\})*/g;

/**
 * The formula at the start of `source`, or null. Between single dollars it must not look like prices or shell
 * variables: it is attached to its dollars, the first of which follows no letter or digit, the second precedes none.
 *
 * @param before the character before `source`, or an empty string
 */
export function formulaAt(source: string, before: string): Formula | null {
  if (source.startsWith('\\')) return bracketed(source);
  if (/[\w$\\]/.test(before)) return null;
  if (source.startsWith('$$')) return doubled(source);
  const [raw, tex] = INLINE.exec(source) ?? [];
  if (raw === undefined || tex === undefined || raw.length > MAX_LENGTH) return null;
  if (NO_START.test(tex) || NO_END.test(tex) || NO_FOLLOWER.test(source.slice(raw.length))) return null;
  return isProse(tex) ? null : { raw, tex, display: false };
}

function bracketed(source: string): Formula | null {
  const display = source.startsWith('\\[');
  if (!display && !source.startsWith('\\(')) return null;
  const end = source.slice(0, MAX_LENGTH).indexOf(display ? '\\]' : '\\)', 2);
  if (end < 0) return null;
  const tex = source.slice(2, end);
  return tex.trim() === '' || IN_WORDS.test(tex) ? null : { raw: source.slice(0, end + 2), tex, display };
}

function doubled(source: string): Formula | null {
  const [raw, tex] = DISPLAY.exec(source) ?? [];
  if (raw === undefined || tex === undefined || raw.length > MAX_LENGTH) return null;
  // `$$` is also the process id of a shell.
  const isText = tex.trim() === '' || /^\s*[,.;:!?)&|>]/.test(tex) || isProse(tex);
  return isText || /\n[ \t]*\n/.test(tex) ? null : { raw, tex, display: true };
}

function isProse(tex: string): boolean {
  const rest = tex.replace(COMMAND, '');
  return IN_PROSE.some((prose) => prose.test(rest));
}

const BLOCK =
  /^ {0,3}(?:\$\$(?!\$)((?:(?!\n[ \t]*\n|\$\$)[^])+)\$\$(?!\$)|\\\[((?:(?!\n[ \t]*\n|\\\])[^])+)\\\])[ \t]*([.,;:]?)[ \t]*(?=\n|$)/;
/** The delimiter alone on its line, and no blank line up to the end of the text. */
const OPEN_BLOCK = /^ {0,3}(?:\$\$|\\\[)[ \t]*(?:$|\n((?:(?!\n[ \t]*\n|\$\$|\\\])[^])*)$)/;

/** A formula in lines of its own at the start of `source`; `open`: its end has not arrived. */
export function formulaBlockAt(source: string): { raw: string; tex: string; open: boolean } | null {
  if (!/^ {0,3}(?:\$\$|\\\[)/.test(source)) return null;
  const [raw, dollars, brackets, point = ''] = BLOCK.exec(source) ?? [];
  const tex = dollars ?? brackets;
  if (raw !== undefined && tex !== undefined) {
    const isText = tex.trim() === '' || raw.length > MAX_LENGTH || (brackets !== undefined && IN_WORDS.test(tex));
    return isText ? null : { raw, tex: tex.trim() + point, open: false };
  }
  const [rest, begun = ''] = OPEN_BLOCK.exec(source) ?? [];
  return rest === undefined || rest.length > MAX_LENGTH ? null : { raw: rest, tex: begun, open: true };
}

/** The text with its formulas replaced by characters that mean nothing: `*` and `_` in them are no emphasis. */
export function maskFormulas(text: string): string {
  if (!text.includes('$') && !text.includes('\\(')) return text;
  let masked = '';
  for (let index = 0; index < text.length;) {
    const character = text.charAt(index);
    const isStart = character === '$' || (character === '\\' && /[([]/.test(text.charAt(index + 1)));
    const formula = isStart ? formulaAt(text.slice(index), text.charAt(index - 1)) : null;
    masked += formula === null ? character : 'x'.repeat(formula.raw.length);
    index += formula?.raw.length ?? 1;
  }
  return masked;
}
