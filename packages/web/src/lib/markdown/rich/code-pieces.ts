import { LINES_PER_PIECE } from './coloured-lines.ts';

/** Longer code is laid out in pieces, near the viewport only. */
const MAX_LINES_AT_ONCE = 200;

/** Some lines of a code block: highlighted HTML, then text that is not highlighted yet. */
export type CodePiece = { html: string; text: string; lines: number };
export type CodePieces = { pieces: readonly CodePiece[]; isLong: boolean };

/**
 * Divides code into elements of {@link LINES_PER_PIECE} lines, whether highlighted or not, so that highlighting changes
 * one element after the other. `coloured` has the same division; `rest` follows it.
 */
export function codePieces(coloured: readonly string[], rest: string): CodePieces {
  const pieces: CodePiece[] = coloured.map((html) => ({ html, text: '', lines: LINES_PER_PIECE }));
  const last = pieces.at(-1);
  if (last !== undefined) last.lines = newlinesIn(last.html);
  for (let start = 0; start < rest.length;) {
    const open = pieces.at(-1);
    const hasRoom = open !== undefined && open.text === '' && open.lines < LINES_PER_PIECE && open.html.endsWith('\n');
    const room = hasRoom ? LINES_PER_PIECE - open.lines : LINES_PER_PIECE;
    const end = endOfLines(rest, start, room);
    const text = rest.slice(start, end);
    if (hasRoom) {
      open.text = text;
      open.lines += newlinesIn(text);
    } else pieces.push({ html: '', text, lines: newlinesIn(text) });
    start = end;
  }
  return { pieces, isLong: pieces.length * LINES_PER_PIECE > MAX_LINES_AT_ONCE };
}

function endOfLines(text: string, start: number, most: number): number {
  let end = start;
  for (let line = 0; line < most && end < text.length; line += 1) {
    const newline = text.indexOf('\n', end);
    end = newline < 0 ? text.length : newline + 1;
  }
  return end;
}

function newlinesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
