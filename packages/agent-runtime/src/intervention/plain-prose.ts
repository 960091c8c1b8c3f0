import * as programs from './programs.ts';
import { dangerOfPath } from './sensitive-paths.ts';
import { remembering } from './shell-text.ts';
import { DESTROYS, isToolProgram } from './tool-dangers.ts';
import { isWrapper, WRAPPING_PROGRAMS } from './wrappers.ts';

/** Characters with which a shell expands, assigns, redirects or escapes; rare in prose. */
const EXPANDS = /[$`~<>\\*[\]{}=%@^\ue000\0-\x08\x0b-\x1f]/;

/** Matches where a command may begin: the program and the next two words. */
const COMMANDS = /(?:^|[;&|(\n])[\s!]*([^\s;&|()]+)[ \t]*([^\s;&|()]*)[ \t]*([^\s;&|()]*)/g;

const RESERVED = /^(?:if|then|elif|else|while|until|do|time|coproc|function|for|case|select|-\S*|\d+)$/;

const KNOWN: ReadonlySet<string> = new Set([...programs.KNOWN, ...WRAPPING_PROGRAMS]);

/**
 * True for a text that a shell would read as commands of unknown programs, without paths among the arguments. Such text
 * is harmless and need not be parsed. Takes time in proportion to its length.
 */
export function isPlainProse(text: string): boolean {
  if (EXPANDS.test(text) || (text.includes('?') && /\?\w/.test(text)) || (NAME_PART.test(text) && namesPath(text)))
    return false;
  COMMANDS.lastIndex = 0;
  for (let found = COMMANDS.exec(text); found !== null; found = COMMANDS.exec(text)) {
    const [, program = '', first = '', second = ''] = found;
    if (mayBeKnown(program) || mayDestroy(first) || mayDestroy(second)) return false;
  }
  return true;
}

const mayBeKnown = remembering((program): boolean => {
  if (/["'#]/.test(program) || RESERVED.test(program)) return true;
  const name = programs.plainName(program.replace(/[,.:!]+$/, ''));
  return KNOWN.has(name) || isWrapper(name) || isToolProgram(name) || /-credential-|^ld[-.]/.test(name);
});

/** An unknown program is judged by its first arguments. */
const mayDestroy = remembering((word): boolean => word.length > 1 && (word.startsWith('-') || DESTROYS.test(word)));

const NAME_PART = /[._](?=\w)|\//;
const BETWEEN_WORDS = /[\s;&|()]/;

/** Words with a dot, a slash or an underscore may name files. */
function namesPath(text: string): boolean {
  let end = 0;
  for (const { index } of text.matchAll(new RegExp(NAME_PART, 'g'))) {
    if (index < end) continue;
    let from = index;
    while (from > end && !BETWEEN_WORDS.test(text.charAt(from - 1))) from--;
    end = index + 1;
    while (end < text.length && !BETWEEN_WORDS.test(text.charAt(end))) end++;
    const word = text.slice(from, end);
    if (/^\/|["']/.test(word) || dangerOfPath(word) !== undefined) return true;
  }
  return false;
}
