import { characterTable } from './character-table.ts';
import { isFeared, FEARED } from './dangerous-commands.ts';
import { isDevice, isSecretPath, isStartedByItself, mayBeAnyPlace } from './sensitive-paths.ts';
import {
  baseName,
  CHANGES_FOLDER,
  DECODERS,
  DOWNLOADERS,
  givenTo,
  PRINTS_ENVIRONMENT,
  RUNS_TEXT,
  runsText,
  WRAPPERS,
} from './shell-names.ts';
import { LEADING } from './script-builder.ts';

/**
 * True for a text of which it is plain, without reading it as a shell would, that nothing in it is feared: `inspectFully`
 * finds nothing in it. Most texts are such, and this is one pass over them.
 *
 * It holds because nothing can be put together that does not stand there: variables, substitutions, escapes, lists in
 * braces and here-documents end it at once. Quotes are left out, so that every name a shell would find, however deep
 * it is quoted, is one of the pieces between blanks and operators. There are more pieces than words (those of comments,
 * of texts in quotes): then it only says less often that all is well.
 */
export function isHarmlessAtAGlance(text: string, isCommand: boolean): boolean {
  // Most of what cannot be told at a glance has one of these, and is not looked through for nothing.
  if (text.includes('$') || text.includes('\\') || text.includes('`')) return false;
  let from = 0;
  let traits = 0;
  let all = 0;
  let lists = 0;
  // The command has its name already.
  let isNamed = false;
  // It may run a command of its own, whose name comes later.
  let mayWrap = false;
  let isTarget = false;
  for (let at = 0; at <= text.length; at++) {
    const trait = at === text.length ? BLANK : traitOf(text.charCodeAt(at));
    if (trait === 0) continue;
    if ((trait & BLANK) === 0) {
      if (trait === OUT || (trait === QUOTE && isCommand)) return false;
      if ((trait & LIST) !== 0 && (++lists > MOST_IN_LIST || (trait !== LIST && mayBeginList(text, at)))) return false;
      traits |= trait;
      continue;
    }
    if (at > from) {
      all |= traits;
      const isQuoted = (all & QUOTE) !== 0;
      if (isTelling(text, from, at, traits & ~LIST, isQuoted)) return false;
      if ((!isNamed || mayWrap || isQuoted) && at - from === AT.length && isAt(text, from)) return false;
      // What runs would only be known once it runs.
      if ((traits & GLOB) !== 0 && !isNamed) return false;
      if (!isNamed && !isTarget && trait !== REDIRECTS && (traits & EQUALS) === 0 && !LEADS.has(text, from, at)) {
        isNamed = true;
        mayWrap ||= traits !== 0 || WRAPS.has(text, from, at);
      }
      isTarget = false;
      traits = 0;
      if (!isQuoted) lists = 0;
    }
    from = at + 1;
    if (trait === BLANK) continue;
    all |= trait;
    if (trait === REDIRECTS) {
      const next = text.charAt(at + 1);
      if (next === '(' || next === '<') return false;
      isTarget = true;
    } else isNamed = false;
  }
  // With both it may be a function that starts itself over and over.
  return (all & BRACE) === 0 || (all & PIPES) !== PIPES;
}

/** Pieces that are names, or say where something lies. */
function isTelling(text: string, from: number, to: number, traits: number, isQuoted: boolean): boolean {
  if (traits === 0) {
    if (NAMES.has(text, from, to)) return true;
    const last = text.charCodeAt(to - 1);
    if (last <= NINE && last >= ZERO && text.charCodeAt(from) > NINE) return runsText(baseName(text.slice(from, to)));
    return isQuoted && beginsLongerName(text.slice(from, to));
  }
  // No name has these, and alone they say no place.
  if (!isQuoted && (traits & ~(EQUALS | GLOB)) === 0 && ((traits & GLOB) === 0 || to - from === 1)) return false;
  const piece = text.slice(from, to);
  if (!isQuoted) {
    if ((traits & GLOB) !== 0 && (traits & FOREIGN) !== 0) return true;
    return isName(piece) || ((traits & (PLACE | GLOB)) !== 0 && saysPlace(piece));
  }
  // What stands in quotes may be part of a longer word.
  const bare = piece.replace(/["']/g, '');
  return (
    (traits & GLOB) !== 0 ||
    isName(bare) ||
    isName(bare.slice(givenTo(bare))) ||
    ((traits & PLACE) !== 0 && mayBeAnyPlace(bare)) ||
    beginsLongerName(bare)
  );
}

function isName(piece: string): boolean {
  const name = baseName(piece);
  return isFeared(name) || runsText(name) || TELLS_OF_NEXT.has(name);
}

function saysPlace(piece: string): boolean {
  return isSecretPath(piece, true) || isStartedByItself(piece) || isDevice(piece);
}

/** Of the secrets whose names have a blank in them. */
function beginsLongerName(piece: string): boolean {
  return /(?:login|web)$/i.test(piece);
}

function isAt(text: string, from: number): boolean {
  return text.slice(from, from + AT.length).toLowerCase() === AT;
}

function mayBeginList(text: string, at: number): boolean {
  return !' \t\r\n}'.includes(text.charAt(at + 1));
}

/** Finds names within a text; of most pieces length, first and last letter say that they are none. */
class Names {
  readonly #names: ReadonlySet<string>;
  /** By first character and length, a bit for each last one. */
  readonly #lasts = new Uint32Array(128 * LONGEST);

  constructor(names: Iterable<string>) {
    this.#names = new Set(names);
    for (const name of this.#names) {
      const at = name.charCodeAt(0) * LONGEST + name.length;
      this.#lasts[at] = (this.#lasts[at] ?? 0) | (1 << (name.charCodeAt(name.length - 1) % 32));
    }
  }

  /** Whether it is written in capitals makes no difference. */
  has(text: string, from: number, to: number): boolean {
    if (to - from >= LONGEST) return false;
    const first = text.charCodeAt(from);
    const lasts = this.#lasts[(first >= 65 && first <= 90 ? first | LOWER : first) * LONGEST + to - from] ?? 0;
    if ((lasts & (1 << (text.charCodeAt(to - 1) % 32))) === 0) return false;
    return this.#names.has(text.slice(from, to).toLowerCase());
  }
}

/** Longer than every name. */
const LONGEST = 20;

/** What they leave behind, or where they go, may make something feared of a command after them. */
const TELLS_OF_NEXT = new Set([...CHANGES_FOLDER, ...DOWNLOADERS, ...DECODERS, ...PRINTS_ENVIRONMENT, 'xargs']);

/** Also a word of every other sentence: feared only where it is run. */
const AT = 'at';

const NAMES = new Names([...FEARED, ...RUNS_TEXT, ...TELLS_OF_NEXT].filter((name) => name !== AT));
const WRAPS = new Names(WRAPPERS);
const LEADS = new Names(LEADING);

/** More in one word, and a shell would not be followed to the end. */
const MOST_IN_LIST = 60;

const ZERO = 48;
const NINE = 57;
const LOWER = 32;

const OUT = 1;
const PLACE = 2;
const GLOB = 4;
const QUOTE = 8;
const EQUALS = 16;
const LIST = 32;
const BRACE = LIST | 64;
const FOREIGN = 128;
const BLANK = 256;
const ENDS_COMMAND = BLANK | 512;
const PIPES = BLANK | 1024;
const REDIRECTS = BLANK | 2048;

const TRAITS = characterTable([
  ['\0\v\f\\$`', OUT],
  ['./_%', PLACE],
  ['*?[]', GLOB],
  ['"\'', QUOTE],
  ['=', EQUALS],
  [',}', LIST],
  ['{', BRACE],
  [' \t\r', BLANK],
  ['\n;&()', ENDS_COMMAND],
  ['|', PIPES],
  ['<>', REDIRECTS],
]);

function traitOf(code: number): number {
  if (code < 128) return TRAITS[code] ?? OUT;
  // With these the reader marks lists.
  return code >= 0xe000 && code <= 0xe002 ? OUT : FOREIGN;
}
