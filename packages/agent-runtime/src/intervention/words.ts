import { characterTable } from './character-table.ts';
import { isFeared } from './dangerous-commands.ts';
import { programOf } from './programs.ts';
import { baseName } from './shell-names.ts';
import type { Command, Word } from './shell-script.ts';
import { CLOSE, OPEN, UNKNOWN } from './word-text.ts';

/** Characters without which no path says where it lies, as far as any is known here. */
export const OF_PLACES = 1;
export const OF_PATTERNS = 2;
/** Blanks, and what parts or leads commands. */
export const OF_SCRIPTS = 4;
export const SLASH = 8;
export const EQUALS = 16;
/** Unquoted braces and commas, until they are expanded. */
export const OF_LISTS = 32;
/** A path that says where it lies has one of them. */
export const OF_WHOLE_PATHS = 64;
export const NOT_KNOWN = 128;
/** A name with them is written otherwise than it is called. */
const OF_OTHER_NAMES = 256;

const CHARACTERS = characterTable([
  ['./_ \\%*?[\0', OF_PLACES],
  ['*?[', OF_PATTERNS],
  [' \t\n\v\f\r;|&<>`$(', OF_SCRIPTS],
  ['/', SLASH],
  ['=', EQUALS],
  ['/\\~.\0', OF_WHOLE_PATHS],
  ['\0', NOT_KNOWN],
  ['/.ABCDEFGHIJKLMNOPQRSTUVWXYZ\0', OF_OTHER_NAMES],
]);

const LISTS_FROM = OPEN.charCodeAt(0);
const LISTS_TO = CLOSE.charCodeAt(0);

const NO_COMMANDS: readonly Command[] = [];

/** A word as a shell has read it. */
export function wordOf(text: string, inner = NO_COMMANDS): Word {
  let characters = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // Beyond these there are blanks too, and capitals.
    if (code < 128) characters |= CHARACTERS[code] ?? 0;
    else characters |= OF_SCRIPTS | OF_OTHER_NAMES | (code >= LISTS_FROM && code <= LISTS_TO ? OF_LISTS : 0);
  }
  const name = (characters & OF_OTHER_NAMES) === 0 ? text : nameIn(text);
  return { text, inner, name, program: programOf(name), characters };
}

/** Whether it may hold some of these; false is sure. */
export function holds({ characters }: Word, some: number): boolean {
  return (characters & some) !== 0;
}

function nameIn(text: string): string {
  const name = baseName(text);
  if (!name.includes(UNKNOWN)) return name;
  // What is not known may be nothing.
  const bare = name.replaceAll(UNKNOWN, '');
  return isFeared(bare) ? bare : name;
}
