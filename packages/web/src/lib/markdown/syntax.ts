import type { Lexer, MarkedOptions, Token, Tokens } from 'marked';
import { HEADING_LINE } from './cjk.ts';
import { formulaAt, formulaBlockAt } from './math-rules.ts';

/** Tokens beyond GitHub Flavored Markdown as marked parses it. */
export type SyntaxToken =
  | { type: 'math'; raw: string; text: string; display: boolean }
  | { type: 'mathBlock'; raw: string; text: string; open: boolean }
  /** A footnote reference, or the number of a source: its text as written. */
  | { type: 'reference'; raw: string; of: 'note' | 'source' }
  | { type: 'footnote'; raw: string; label: string; tokens: Token[] }
  | { type: 'details'; raw: string; open: boolean; tokens: Token[] | null }
  | { type: 'detailsEnd'; raw: string };

const DETAILS =
  /^ {0,3}<details(\s+open)?\s*>[ \t]*(?:\n?[ \t]*<summary>((?:(?!\n[ \t]*\n|<\/summary>)[^])*)(?:<\/summary>[ \t]*)?)?/i;
const DETAILS_END = /^ {0,3}<\/details>[ \t]*/i;
const NOTE_START = /^\[\^([^\]\s]{1,40})\][:：][ \t]*/;
/** A line that begins something else, and so ends a footnote. */
const OTHER_BLOCK = /^ {0,3}(?:\[\^|#{1,6} |```|~~~|\$\$|\\\[|>|[-*+] |\d+[.)] |<\/?details|\|)/i;
/**
 * Where a paragraph ends without a blank line. Tags of a section end it within a line as well: many models write a
 * section in one line. A tag that only opens is a word of the text, unless a summary or its end follows.
 */
const INTERRUPTS =
  /\n {0,3}(?:\$\$|\\\[|\[\^[^\]\s]+\][:：]|<details)|<\/details>|<details(?:\s+open)?\s*>(?=[ \t]*<summary>|[^\n]*<\/details>)/gi;
const NOTE = /^\[\^[^\]\s]{1,40}\](?![(:])/;
const SOURCE = /^\[(\d{1,2})\](?![(:])/;
const SOURCE_IN_LENSES = /^【\d{1,2}(?:†[^】\n]{0,80})?】/;

/** Reads one text; what is nested in a footnote contains none. */
export function chatSyntax(): NonNullable<MarkedOptions['extensions']> {
  let isInNote = false;

  function readNote(source: string, lexer: Lexer): SyntaxToken | undefined {
    const [mark, label] = isInNote ? [] : (NOTE_START.exec(source) ?? []);
    if (mark === undefined || label === undefined) return undefined;
    const raw = source.slice(0, endOfNote(source));
    const content = raw.slice(mark.length).replace(/\n {1,4}/g, '\n');
    isInNote = true;
    try {
      return { type: 'footnote', raw, label, tokens: blocksIn(lexer, content) };
    } finally {
      isInNote = false;
    }
  }

  function readBlock(source: string, lexer: Lexer): SyntaxToken | undefined {
    const start = source.trimStart().charCodeAt(0);
    if (start === 0x24 || start === 0x5c) {
      const block = formulaBlockAt(source);
      return block === null ? undefined : { type: 'mathBlock', raw: block.raw, text: block.tex, open: block.open };
    }
    if (start === 0x5b) return readNote(source, lexer);
    if (start !== 0x3c) return undefined;
    const [end] = DETAILS_END.exec(source) ?? [];
    if (end !== undefined) return { type: 'detailsEnd', raw: end };
    const [raw, open, summary] = DETAILS.exec(source) ?? [];
    if (raw === undefined) return undefined;
    const tokens = summary === undefined ? null : lexer.inline(summary.trim());
    return { type: 'details', raw, open: open !== undefined, tokens };
  }

  return {
    renderers: {},
    childTokens: {},
    block: [
      function (source) {
        return readBlock(source, this.lexer) as Tokens.Generic | undefined;
      },
    ],
    startBlock: [interruption],
    inline: [
      function (source, tokens) {
        return readInline(source, tokens, this.lexer.tokens.links) as Tokens.Generic | undefined;
      },
    ],
    startInline: [nextStart],
  };
}

/** The tokens of the content of a block. */
function blocksIn(lexer: Lexer, content: string): Token[] {
  const { top } = lexer.state;
  lexer.state.top = true;
  const tokens = lexer.blockTokens(content, []);
  lexer.state.top = top;
  return tokens;
}

/** Index of the next `$` or `【`, but -1 if text ends before it anyway: the rest is not searched again and again. */
function nextStart(source: string): number {
  const index = source.search(/[$【\\<[`*]/);
  return /[$【]/.test(source.charAt(index)) ? index : -1;
}

/** Index of the place where a paragraph is interrupted. */
export function interruption(source: string): number {
  const blank = source.indexOf('\n\n');
  const whole = blank < 0 ? source : source.slice(0, blank + 1);
  const heading = whole.includes('\n##') ? whole.search(HEADING_LINE) : -1;
  const paragraph = heading < 0 ? whole : whole.slice(0, heading + 1);
  for (const { 0: found, index } of paragraph.matchAll(INTERRUPTS)) {
    if (found.startsWith('\n')) return index + 1;
    // In code it is code.
    if (paragraph.slice(0, index).split('`').length % 2 === 1) return index;
  }
  return heading < 0 ? -1 : heading + 1;
}

function readInline(source: string, tokens: readonly Token[], links: object): SyntaxToken | undefined {
  const start = source.charCodeAt(0);
  if (start === 0x24 || start === 0x5c) {
    const formula = formulaAt(source, lastCharacter(tokens));
    if (formula === null) return undefined;
    return { type: 'math', raw: formula.raw, text: formula.tex, display: formula.display };
  }
  if (start === 0x5b) {
    const [note] = NOTE.exec(source) ?? [];
    if (note !== undefined) return { type: 'reference', raw: note, of: 'note' };
    const [raw, number] = SOURCE.exec(source) ?? [];
    if (raw === undefined || number === undefined || Object.hasOwn(links, number)) return undefined;
    // A full reference link, `[1][2]`, and an index, `a[1]`.
    const [, label] = /^\[([^\]]+)\]/.exec(source.slice(raw.length)) ?? [];
    if (label !== undefined && Object.hasOwn(links, label.toLowerCase())) return undefined;
    return /\w/.test(lastCharacter(tokens)) ? undefined : { type: 'reference', raw, of: 'source' };
  }
  const [lenses] = start === 0x3010 ? (SOURCE_IN_LENSES.exec(source) ?? []) : [];
  return lenses === undefined ? undefined : { type: 'reference', raw: lenses, of: 'source' };
}

function lastCharacter(tokens: readonly Token[]): string {
  return tokens.at(-1)?.raw.at(-1) ?? '';
}

/** Lines up to a blank one or another block; indented lines continue the note. */
function endOfNote(source: string): number {
  let end = endOfLine(source, 0);
  while (end < source.length) {
    const start = end + 1;
    const stop = endOfLine(source, start);
    const line = source.slice(start, stop);
    if (line.trim() === '') {
      const next = /^(?:[ \t]*\n)*(?: {2,}|\t)[ \t]*\S/.exec(source.slice(start));
      if (next === null) return end;
      end = endOfLine(source, start + next[0].length - 1);
    } else {
      if (!/^(?: {2,}|\t)/.test(line) && OTHER_BLOCK.test(line)) return end;
      end = stop;
    }
  }
  return end;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}
