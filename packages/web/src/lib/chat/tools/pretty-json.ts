import { parseJson } from '@toolyard/protocol';
import type { Bounds } from './bound-text.ts';
import { stringPieces } from './string-pieces.ts';

/** `hidden`: a character that is invisible or changes how its neighbours look, shown as its escape. */
export type JsonToken = { kind: 'mark' | 'key' | 'string' | 'number' | 'word' | 'hidden'; text: string };
type JsonLine = { depth: number; tokens: readonly JsonToken[] };
export type JsonLayout = { lines: readonly JsonLine[]; whole: boolean };

/** Longer text is shown unformatted: parsing it would block the page. */
const MAX_PARSED = 1_000_000;
/** An array or object up to this length without nested values stays on one line. */
const MAX_FLAT = 64;

/** The text itself if it is a JSON array or object, else null. */
export function jsonIn(text: string): string | null {
  if (text.length > MAX_PARSED || !/^\s*[{[]/.test(text)) return null;
  return parseJson(text).ok ? text : null;
}

/**
 * Pretty-prints JSON: indented, one member per line, line breaks in strings as line breaks. It formats the text, not
 * the parsed value, so that long numbers and the order of keys stay as written. Stops at the limits.
 *
 * @param json valid JSON
 */
export function layOutJson(json: string, bounds: Bounds): JsonLayout {
  const layout = new Layout(json, bounds);
  while (layout.hasMore) layout.next();
  return layout.end();
}

class Layout {
  readonly #json: string;
  readonly #bounds: Bounds;
  readonly #lines: JsonLine[] = [];
  #at = 0;
  #room: number;
  #depth = 0;
  #line: { depth: number; tokens: JsonToken[] } = { depth: 0, tokens: [] };
  /** End of the array or object that is being written on one line; -1 outside of one. */
  #flatEnd = -1;

  constructor(json: string, bounds: Bounds) {
    this.#json = json;
    this.#bounds = bounds;
    this.#room = bounds.characters;
  }

  get hasMore(): boolean {
    return this.#at < this.#json.length && this.#room > 0 && this.#lines.length < this.#bounds.lines;
  }

  next(): void {
    const character = this.#json.charAt(this.#at);
    if (isSpace(character)) this.#at += 1;
    else if (character === '"') this.#string();
    else if (character === '{' || character === '[') this.#open(character);
    else if (character === '}' || character === ']') this.#close(character);
    else if (character === ',') this.#comma();
    else if (character === ':') this.#mark(': ');
    else this.#literal();
  }

  end(): JsonLayout {
    const whole = this.#at >= this.#json.length && this.#room >= 0 && this.#lines.length < this.#bounds.lines;
    if (this.#line.tokens.length > 0 && this.#lines.length < this.#bounds.lines) this.#lines.push(this.#line);
    return { lines: this.#lines, whole };
  }

  #string(): void {
    const end = endOfString(this.#json, this.#at);
    const isKey = this.#json.charAt(skipSpace(this.#json, end)) === ':';
    // Scans a string only up to the remaining room.
    const source = this.#json.slice(this.#at, Math.min(end, this.#at + this.#room + 1));
    for (const piece of stringPieces(source)) {
      if (piece === 'line break') {
        this.#put('mark', '\\n');
        this.#break(this.#depth + 1);
        continue;
      }
      this.#put(piece.hidden ? 'hidden' : isKey ? 'key' : 'string', piece.text);
    }
    if (source.length < end - this.#at) this.#room = -1;
    this.#at = end;
  }

  #open(bracket: '{' | '['): void {
    const inside = skipSpace(this.#json, this.#at + 1);
    const closing = bracket === '{' ? '}' : ']';
    if (this.#json.charAt(inside) === closing) {
      this.#put('mark', bracket + closing);
      this.#at = inside + 1;
      return;
    }
    if (this.#flatEnd < 0) this.#flatEnd = endOfFlat(this.#json, this.#at);
    this.#depth += 1;
    if (this.#flatEnd < 0) {
      this.#mark(bracket);
      this.#break(this.#depth);
    } else {
      this.#mark(bracket === '{' ? '{ ' : '[');
    }
  }

  #close(bracket: '}' | ']'): void {
    this.#depth -= 1;
    if (this.#flatEnd < 0) {
      this.#break(this.#depth);
      this.#mark(bracket);
      return;
    }
    if (this.#at === this.#flatEnd) this.#flatEnd = -1;
    this.#mark(bracket === '}' ? ' }' : ']');
  }

  #comma(): void {
    if (this.#flatEnd >= 0) {
      this.#mark(', ');
      return;
    }
    this.#mark(',');
    this.#break(this.#depth);
  }

  #literal(): void {
    const pattern = /[^\s,\]}]+/y;
    pattern.lastIndex = this.#at;
    const text = pattern.exec(this.#json)?.[0] ?? this.#json.charAt(this.#at);
    this.#put(/^[-\d]/.test(text) ? 'number' : 'word', text);
    this.#at += text.length;
  }

  #mark(text: string): void {
    this.#put('mark', text);
    this.#at += 1;
  }

  #put(kind: JsonToken['kind'], text: string): void {
    const shown = text.slice(0, Math.max(0, this.#room));
    this.#room -= text.length;
    if (shown !== '') this.#line.tokens.push({ kind, text: shown.isWellFormed() ? shown : shown.slice(0, -1) });
  }

  #break(depth: number): void {
    if (this.#lines.length < this.#bounds.lines) this.#lines.push(this.#line);
    this.#line = { depth, tokens: [] };
  }
}

function isSpace(character: string): boolean {
  return character === ' ' || character === '\n' || character === '\t' || character === '\r';
}

function skipSpace(json: string, from: number): number {
  let at = from;
  while (isSpace(json.charAt(at))) at += 1;
  return at;
}

/** Index after the closing quote. */
function endOfString(json: string, start: number): number {
  let at = start + 1;
  for (;;) {
    const quote = json.indexOf('"', at);
    if (quote < 0) return json.length;
    let slashes = 0;
    while (json.charAt(quote - 1 - slashes) === '\\') slashes += 1;
    if (slashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

/** End of the array or object that begins here if it fits on one line, else -1. */
function endOfFlat(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && at - start <= MAX_FLAT) {
    const character = json.charAt(at);
    if (character === '{' || character === '[') return -1;
    if (character === '}' || character === ']') return at;
    if (character === '"') {
      const end = endOfString(json, at);
      if (json.slice(at, end).includes('\\n')) return -1;
      at = end;
    } else {
      at += 1;
    }
  }
  return -1;
}
