import { matchesGlob } from './globs.ts';

/** Text as it is known before the shell runs: known and unknown parts of words. */

/** Marks text that is only known at run time. */
export const UNKNOWN = '\0';
/** The same, but a list of project files, a date or a number: nothing that an attacker chooses. */
export const LISTED = '\u0001';
/** Separates the words that an unquoted expansion is split into. */
export const SPLIT = '\ue000';
/** Marks the output of a process substitution. */
export const PROCESS_OUTPUT = '/dev/fd/\0';

export const MAX_ALTERNATIVES = 64;

export function hasUnknown(text: string): boolean {
  return text.includes(UNKNOWN) || text.includes(LISTED);
}

export function isDynamic(text: string): boolean {
  return hasUnknown(text) || /[*?[]/.test(text);
}

/** Remembers the results of a function of short texts: the calls of a run repeat the same names and paths. */
export function remembering<T>(of: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined || known.has(text)) return before as T;
    const result = of(text);
    if (known.size >= 5_000) known.clear();
    // A slice would keep the whole text of its call in memory.
    if (text.length < 200) known.set(text.split('').join(''), result);
    return result;
  };
}

/** The last segment of a path, without the extensions of Windows programs. */
export function baseName(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  return /\.(?:exe|cmd|bat|com)$/i.test(name) ? name.slice(0, -4) : name;
}

/** Every text of one list followed by every text of the other; unknown if there are too many. */
export function combine(left: readonly string[], right: readonly string[]): string[] {
  const [only = ''] = right;
  if (right.length === 1) return left.map((text) => text + only);
  if (left.length * right.length > MAX_ALTERNATIVES) return [UNKNOWN];
  return left.flatMap((text) => right.map((more) => text + more));
}

/** Expands `{a,b{c,d}}` and `{1..9}`; the text is the braces alone. */
export function expandBraces(text: string, depth = 0): string[] {
  const inner = text.slice(1, -1);
  const range = /^(-?\d{1,6}|[A-Za-z])\.\.(-?\d{1,6}|[A-Za-z])(?:\.\.-?\d{1,3})?$/.exec(inner);
  if (range) return expandRange(range[1] ?? '', range[2] ?? '');
  if (depth > 8) return [UNKNOWN];
  const all: string[] = [];
  for (const piece of splitAtCommas(inner)) {
    all.push(...expandNested(piece, depth));
    if (all.length > MAX_ALTERNATIVES) return [UNKNOWN];
  }
  return all;
}

function expandNested(piece: string, depth: number): string[] {
  const plain = (text: string): string => (/[$`]/.test(text) ? UNKNOWN : text.replace(/\\(.)|["']/gs, '$1'));
  const open = piece.indexOf('{');
  if (open === -1) return [plain(piece)];
  const close = closingBrace(piece, open);
  if (close === -1) return [plain(piece)];
  const middle = expandBraces(piece.slice(open, close + 1), depth + 1);
  const after = expandNested(piece.slice(close + 1), depth + 1);
  return combine(combine([plain(piece.slice(0, open))], middle), after);
}

function closingBrace(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if (text[at] === '{') depth++;
    else if (text[at] === '}' && --depth === 0) return at;
  }
  return -1;
}

function splitAtCommas(text: string): string[] {
  const pieces: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '{') depth++;
    else if (character === '}') depth--;
    else if (character === ',' && depth === 0) {
      pieces.push(text.slice(from, at));
      from = at + 1;
    }
  }
  pieces.push(text.slice(from));
  return pieces;
}

function expandRange(first: string, last: string): string[] {
  const isNumber = /\d/.test(first);
  const from = isNumber ? Number(first) : first.charCodeAt(0);
  const to = isNumber ? Number(last) : last.charCodeAt(0);
  if (!Number.isFinite(to) || Math.abs(to - from) >= MAX_ALTERNATIVES) return [UNKNOWN];
  const step = from <= to ? 1 : -1;
  return Array.from({ length: Math.abs(to - from) + 1 }, (_each, index) => {
    const value = from + index * step;
    return isNumber ? String(value) : String.fromCharCode(value);
  });
}

/** `${name#pattern}` and related expansions. */
export function removeMatch(value: string, operator: string, pattern: string): string {
  if (value.length > 256 || hasUnknown(value) || hasUnknown(pattern)) return UNKNOWN;
  const isPrefix = operator.startsWith('#');
  const cuts = Array.from({ length: value.length + 1 }, (_each, index) => index);
  // Shortest match first, unless the operator is doubled.
  if (operator.length === 2) cuts.reverse();
  for (const cut of cuts) {
    const piece = isPrefix ? value.slice(0, cut) : value.slice(value.length - cut);
    if (matchesGlob(pattern, piece)) return isPrefix ? value.slice(cut) : value.slice(0, value.length - cut);
  }
  return value;
}
