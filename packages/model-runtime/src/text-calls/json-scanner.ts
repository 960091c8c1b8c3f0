import { isBlank } from './markers.ts';

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/** Deeper nesting is refused: whatever reads the value later may be recursive. */
const MAX_DEPTH = 256;

export type ScanState = 'open' | 'whole' | 'broken';

type Expect =
  'value' | 'value_or_end' | 'key' | 'key_or_end' | 'colon' | 'comma_or_end' | 'string' | 'escape' | 'scalar';

/**
 * Finds the end of one JSON object, character by character, and notices at the earliest character that it cannot be
 * one. Strings may hold raw control characters and unknown escapes, and scalars are not spelled out: the real parser
 * reads the value afterwards.
 */
export class JsonObjectScanner {
  #expect: Expect = 'value';
  #stringIsKey = false;
  /** True for each open object, false for each open array. */
  readonly #open: boolean[] = [];

  /** Takes one UTF-16 code unit; `whole` comes with the brace that closes the object. */
  feed(code: number): ScanState {
    switch (this.#expect) {
      case 'string':
        if (code === BACKSLASH) this.#expect = 'escape';
        else if (code === QUOTE) this.#expect = this.#stringIsKey ? 'colon' : 'comma_or_end';
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
        if (code !== QUOTE) return 'broken';
        this.#stringIsKey = true;
        this.#expect = 'string';
        return 'open';
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

  #value(code: number): ScanState {
    if (code === QUOTE) {
      this.#stringIsKey = false;
      this.#expect = 'string';
      return 'open';
    }
    if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      const isObject = code === OPEN_BRACE;
      this.#open.push(isObject);
      this.#expect = isObject ? 'key_or_end' : 'value_or_end';
      return this.#open.length > MAX_DEPTH ? 'broken' : 'open';
    }
    this.#expect = 'scalar';
    return isScalar(code) ? 'open' : 'broken';
  }

  #close(isObject: boolean): ScanState {
    const expected = this.#expect;
    const mayClose = expected === 'comma_or_end' || expected === (isObject ? 'key_or_end' : 'value_or_end');
    if (!mayClose || this.#open.pop() !== isObject) return 'broken';
    this.#expect = 'comma_or_end';
    return this.#open.length === 0 ? 'whole' : 'open';
  }
}

/** The characters of numbers, true, false and null. */
function isScalar(code: number): boolean {
  if (code >= 97 && code <= 122) return true;
  if (code >= 48 && code <= 57) return true;
  return code === 43 || code === 45 || code === 46 || code === 69;
}
