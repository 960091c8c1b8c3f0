import { safeCut } from '../inline-pieces.ts';

/** A piece of code ends with the last line before one of these, or in a line that is longer. */
const MAX_LINES = 40;
const MAX_CHARACTERS = 8000;

/** Longer code is laid out in pieces, near the viewport only. */
const MAX_PIECES_AT_ONCE = 5;

/** Some lines of a code block, or a part of a long line: highlighted HTML, then text that is not highlighted yet. */
export type CodePiece = {
  html: string;
  text: string;
  lines: number;
  /** The number of its first line, from 0. */
  line: number;
  /** Whether it continues a line. */
  continues: boolean;
  /** Whether its last line continues. */
  isCut: boolean;
};

export type CodePieces = { pieces: readonly CodePiece[]; isLong: boolean };

/**
 * Where the piece that begins at `start` ends. It does not change when lines are added, so that highlighting changes one
 * piece after the other; the highlighter has the same ones.
 */
export function codePieceEnd(text: string, start: number, stop = text.length): number {
  const limit = start + MAX_CHARACTERS;
  let end = start;
  for (let lines = 0; lines < MAX_LINES; lines += 1) {
    const newline = text.indexOf('\n', end);
    const next = newline < 0 || newline >= stop ? stop : newline + 1;
    // What is left of a long line is a piece of its own.
    if (next > limit) return end > start ? end : safeCut(text, limit);
    end = next;
    if (end === stop || (lines === 0 && continuesAt(text, start))) return end;
  }
  return end;
}

/** Divides code that may grow; unchanged pieces stay the same objects. `coloured` is HTML of the pieces up to `to`. */
export function codeDivider(): (text: string, coloured: readonly string[], to: number) => CodePieces {
  let before: readonly CodePiece[] = [];
  return (text, coloured, to) => {
    const pieces: CodePiece[] = [];
    let line = 0;
    for (let start = 0; start < text.length;) {
      const end = codePieceEnd(text, start);
      const lines = newlinesIn(text, start, end);
      const piece = {
        html: coloured[pieces.length] ?? '',
        text: text.slice(Math.max(start, Math.min(to, end)), end),
        lines,
        line,
        continues: continuesAt(text, start),
        isCut: end < text.length && text.charAt(end - 1) !== '\n',
      };
      const known = before[pieces.length];
      pieces.push(known !== undefined && isSame(known, piece) ? known : piece);
      line += lines;
      start = end;
    }
    before = pieces;
    return { pieces, isLong: pieces.length > MAX_PIECES_AT_ONCE };
  };
}

function continuesAt(text: string, start: number): boolean {
  return start > 0 && text.charAt(start - 1) !== '\n';
}

function isSame(a: CodePiece, b: CodePiece): boolean {
  return a.html === b.html && a.text === b.text && a.line === b.line && a.isCut === b.isCut;
}

function newlinesIn(text: string, start: number, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', start); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
