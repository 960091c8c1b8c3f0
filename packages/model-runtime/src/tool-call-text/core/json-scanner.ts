import { hasMore, isBlank, type TextReading } from './reading.ts';
import { NO_CHARACTER, type Source } from './source.ts';
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  DOUBLE_QUOTE,
  OPEN_BRACE,
  OPEN_BRACKET,
  SINGLE_QUOTE,
} from './codes.ts';

/** Maximum nesting depth, because later consumers of the value may be recursive. */
export const MAX_DEPTH = 256;

export type ScanState = 'open' | 'whole' | 'broken';

type Expect =
  | 'value'
  | 'value_or_end'
  | 'key'
  | 'key_or_end'
  | 'colon'
  | 'comma_or_end'
  | 'string'
  | 'escape'
  | 'scalar';

/**
 * Finds the end of one JSON object or array, character by character, and rejects it at the earliest invalid character.
 * Strings may use single quotes, raw control characters and unknown escapes, and scalars are not validated: the real
 * parser reads the value afterwards.
 */
export class JsonScanner {
  #expect: Expect = 'value';
  #stringIsKey = false;
  #quote = DOUBLE_QUOTE;
  /** True for each open object, false for each open array. */
  readonly #open: boolean[] = [];

  /** The closing brackets of what is open, innermost last. */
  get closers(): number[] {
    return this.#open.map((isObject) => (isObject ? CLOSE_BRACE : CLOSE_BRACKET));
  }

  get inString(): boolean {
    return this.#expect === 'string' || this.#expect === 'escape';
  }

  /** Consumes one UTF-16 code unit; returns `whole` at the bracket that closes the value. */
  feed(code: number): ScanState {
    switch (this.#expect) {
      case 'string':
        if (code === BACKSLASH) this.#expect = 'escape';
        else if (code === this.#quote) this.#expect = this.#stringIsKey ? 'colon' : 'comma_or_end';
        return 'open';
      case 'escape':
        this.#expect = 'string';
        return 'open';
      case 'scalar':
        if (isScalar(code)) return 'open';
        this.#expect = 'comma_or_end';
        return this.feed(code);
      case 'value':
      case 'value_or_end':
      case 'key':
      case 'key_or_end':
      case 'colon':
      case 'comma_or_end':
        return isBlank(code) ? 'open' : this.#structure(code);
    }
  }

  #structure(code: number): ScanState {
    if (code === CLOSE_BRACE || code === CLOSE_BRACKET) return this.#close(code === CLOSE_BRACE);
    switch (this.#expect) {
      case 'value':
      case 'value_or_end':
        return this.#value(code);
      case 'key':
      case 'key_or_end':
        return this.#beginString(code, true);
      case 'colon':
        this.#expect = 'value';
        return code === COLON ? 'open' : 'broken';
      case 'comma_or_end':
        this.#expect = this.#open.at(-1) === true ? 'key' : 'value';
        return code === COMMA ? 'open' : 'broken';
      case 'string':
      case 'escape':
      case 'scalar':
        return 'broken';
    }
  }

  #beginString(code: number, isKey: boolean): ScanState {
    if (code !== DOUBLE_QUOTE && code !== SINGLE_QUOTE) return 'broken';
    this.#quote = code;
    this.#stringIsKey = isKey;
    this.#expect = 'string';
    return 'open';
  }

  #value(code: number): ScanState {
    if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE) {
      return this.#open.length === 0 ? 'broken' : this.#beginString(code, false);
    }
    if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      const isObject = code === OPEN_BRACE;
      this.#open.push(isObject);
      this.#expect = isObject ? 'key_or_end' : 'value_or_end';
      return this.#open.length > MAX_DEPTH ? 'broken' : 'open';
    }
    this.#expect = 'scalar';
    return isScalar(code) && this.#open.length > 0 ? 'open' : 'broken';
  }

  #close(isObject: boolean): ScanState {
    const expected = this.#expect;
    const mayClose = expected === 'comma_or_end' || expected === (isObject ? 'key_or_end' : 'value_or_end');
    if (!mayClose || this.#open.at(-1) !== isObject) return 'broken';
    this.#open.pop();
    this.#expect = 'comma_or_end';
    return this.#open.length === 0 ? 'whole' : 'open';
  }
}

/** The characters of numbers, true, false, null, and of Python's True, False, None. */
function isScalar(code: number): boolean {
  if (code >= 97 && code <= 122) return true;
  if (code >= 48 && code <= 57) return true;
  return code === 43 || code === 45 || code === 46 || code === 69 || code === 84 || code === 70 || code === 78;
}

/** `broken` leaves the cursor at the invalid character, `cut` at the end of the text. */
export type JsonRead = { kind: 'whole'; text: string } | { kind: 'broken'; closers: number[] } | { kind: 'cut' };

/** Reads one JSON object or array. */
export function* readJson(source: Source): TextReading<JsonRead> {
  const from = source.position;
  const scanner = new JsonScanner();
  for (;;) {
    const code = source.peek();
    if (code === NO_CHARACTER) {
      if (!(yield* hasMore(source))) return { kind: 'cut' };
      continue;
    }
    const state = scanner.feed(code);
    if (state === 'broken') return { kind: 'broken', closers: scanner.closers };
    source.advance();
    if (state === 'whole') {
      source.examined += source.position - from;
      return { kind: 'whole', text: source.text(from, source.position) };
    }
  }
}
