import { parseJson, type JsonObject, type JsonValue, type ParsedJson } from '@toolyard/protocol';
import { isBlank, isNameCode, isNameStart } from './reading.ts';
import { MAX_DEPTH } from './json-scanner.ts';

/** Deviations of literals from Python syntax. */
export type LiteralStyle = {
  /** Delimiter of strings without escapes: `<|"|>`. */
  delimiter?: string;
  /** Keys may be unquoted, and an unquoted word is a string. */
  bareWords?: boolean;
  /** As in JSON5: comments and unquoted keys, besides the escapes of blanks between tokens. */
  loose?: boolean;
};

/**
 * Reads JSON with the usual mistakes of models: raw newlines in strings, single quotes, trailing commas, Python literals,
 * a code fence around it.
 *
 * @returns the value, or the problem of the text as JSON
 * @example parseLenient("['a', True,]"); // { ok: true, value: ['a', true] }
 */
export function parseLenient(text: string): ParsedJson {
  const strict = parseJson(text);
  if (strict.ok) return strict;
  const value = parseLiteral(FENCED.exec(text)?.[1] ?? text.replace(/^\ufeff/, ''));
  return value === undefined ? strict : { ok: true, value };
}

const FENCED = /^\s*```(?:json)?[ \t]*\n(.*)```\s*$/is;

/** Reads one Python or JSON literal; undefined if invalid. */
export function parseLiteral(text: string, style: LiteralStyle = {}): JsonValue | undefined {
  const parser = new LiteralParser(text, style);
  const value = parser.value(0);
  return value !== undefined && parser.atEnd() ? value : undefined;
}

/**
 * Reads one Python, JSON or JSON5 literal that begins at `from`, and the position after it; undefined if invalid.
 */
export function parseLiteralAt(text: string, from: number): { value: JsonValue; end: number } | undefined {
  const parser = new LiteralParser(text, { loose: true }, from);
  const value = parser.value(0);
  return value === undefined ? undefined : { value, end: parser.position };
}

/** Reads `a=1, b='x'`; undefined if invalid. */
export function parseKeywords(text: string): JsonObject | undefined {
  const parser = new LiteralParser(text, {});
  const args = parser.keywords();
  return args !== undefined && parser.atEnd() ? args : undefined;
}

/** Sets an own property, even if it is named `__proto__`. */
export function setOwn(object: JsonObject, key: string, value: JsonValue): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
  else object[key] = value;
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  a: '\u0007',
  '0': '\0',
  '/': '/',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '\n': '',
};
const HEX_LENGTH: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
const WORDS: Readonly<Record<string, JsonValue>> = {
  true: true,
  True: true,
  false: false,
  False: false,
  null: null,
  None: null,
  NaN: null,
  undefined: null,
};
const NUMBER = /[+-]?(?:0|[1-9][\d_]*)(?:\.\d*)?(?:[eE][+-]?\d+)?|[+-]?\.\d+/y;
const NUMBER_END = /^[\s,:\]})\\/]?$/;
/** A comment, a blank of any script, or the escape of a blank. */
const LOOSE_BLANK = /(?:[\s\ufeff]|\\[nrt]|\/\*[^]*?\*\/|\/\/[^\n]*)+/y;
const KEY = /[\w$-]+(?=\s*:)/y;

class LiteralParser {
  readonly #text: string;
  readonly #style: LiteralStyle;
  #at: number;

  constructor(text: string, style: LiteralStyle, from = 0) {
    this.#text = text;
    this.#style = style;
    this.#at = from;
  }

  get position(): number {
    return this.#at;
  }

  atEnd(): boolean {
    this.#skipBlanks();
    return this.#at === this.#text.length;
  }

  value(depth: number): JsonValue | undefined {
    if (depth > MAX_DEPTH) return undefined;
    this.#skipBlanks();
    if (this.#style.delimiter !== undefined && this.#take(this.#style.delimiter)) return this.#delimited();
    const char = this.#text.charAt(this.#at);
    if (char === '{') return this.#braces(depth);
    if (char === '[') return this.#list(']', depth);
    if (char === '(') return this.#list(')', depth);
    if (char === '"' || char === "'") return this.#string(char);
    if (isNameStart(char.charCodeAt(0))) return this.#word();
    return this.#number() ?? this.#bareWord();
  }

  keywords(): JsonObject | undefined {
    const args: JsonObject = {};
    for (;;) {
      this.#skipBlanks();
      if (this.#at === this.#text.length) return args;
      const key = this.#name();
      if (key === '' || Object.hasOwn(args, key)) return undefined;
      this.#skipBlanks();
      if (!this.#take('=')) return undefined;
      const value = this.value(0);
      if (value === undefined) return undefined;
      setOwn(args, key, value);
      this.#skipBlanks();
      if (!this.#take(',')) return args;
    }
  }

  #braces(depth: number): JsonValue | undefined {
    this.#at += 1;
    const object: JsonObject = {};
    const set: JsonValue[] = [];
    for (;;) {
      this.#skipBlanks();
      if (this.#take('}')) return set.length > 0 ? set : object;
      const key = this.#key(depth);
      if (key === undefined) return undefined;
      this.#skipBlanks();
      if (this.#take(':')) {
        const value = this.value(depth + 1);
        if (value === undefined || set.length > 0) return undefined;
        setOwn(object, typeof key === 'string' ? key : JSON.stringify(key), value);
      } else {
        if (Object.keys(object).length > 0) return undefined;
        set.push(key);
      }
      this.#skipBlanks();
      if (this.#take(',')) continue;
      if (this.#text.charAt(this.#at) !== '}') return undefined;
    }
  }

  #key(depth: number): JsonValue | undefined {
    if (this.#style.bareWords !== true) return this.#looseKey() ?? this.value(depth + 1);
    if (this.#style.delimiter !== undefined && this.#take(this.#style.delimiter)) return this.#delimited();
    const from = this.#at;
    while (this.#at < this.#text.length && this.#text.charAt(this.#at) !== ':') {
      if (this.#text.charAt(this.#at) === '}') return undefined;
      this.#at += 1;
    }
    const key = this.#text.slice(from, this.#at).trim();
    return key === '' ? undefined : key.replace(/^(["'])(.*)\1$/s, '$2');
  }

  #looseKey(): string | undefined {
    return this.#style.loose === true ? this.#match(KEY) : undefined;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #list(end: string, depth: number): JsonValue[] | undefined {
    this.#at += 1;
    const list: JsonValue[] = [];
    for (;;) {
      this.#skipBlanks();
      if (this.#take(end)) return list;
      const value = this.value(depth + 1);
      if (value === undefined) return undefined;
      list.push(value);
      this.#skipBlanks();
      if (this.#take(',')) continue;
      if (this.#text.charAt(this.#at) !== end) return undefined;
    }
  }

  #delimited(): string | undefined {
    const delimiter = this.#style.delimiter ?? '';
    const end = this.#text.indexOf(delimiter, this.#at);
    if (end === -1) return undefined;
    const value = this.#text.slice(this.#at, end);
    this.#at = end + delimiter.length;
    return value;
  }

  #string(quote: string): string | undefined {
    const triple = quote.repeat(3);
    const isTriple = this.#text.startsWith(triple, this.#at);
    const close = isTriple ? this.#text.indexOf(triple, this.#at + 3) : -1;
    if (close !== -1) {
      const text = this.#text.slice(this.#at + 3, close);
      this.#at = close + 3;
      return text;
    }
    let out = '';
    let from = this.#at + 1;
    for (let at = from; at < this.#text.length; at += 1) {
      const char = this.#text.charAt(at);
      if (char === quote) {
        this.#at = at + 1;
        return out + this.#text.slice(from, at);
      }
      if (char !== '\\') continue;
      const escape = this.#escape(at + 1);
      out += this.#text.slice(from, at) + escape.value;
      at += escape.length;
      from = at + 1;
    }
    return undefined;
  }

  /** Decodes the escape after a backslash; an unknown escape stands for itself, as in Python. */
  #escape(at: number): { value: string; length: number } {
    const char = this.#text.charAt(at);
    const known = ESCAPES[char];
    if (known !== undefined) return { value: known, length: 1 };
    const digits = HEX_LENGTH[char] ?? 0;
    const hex = this.#text.slice(at + 1, at + 1 + digits);
    const code = digits > 0 && hex.length === digits && /^[\da-fA-F]+$/.test(hex) ? parseInt(hex, 16) : -1;
    if (code < 0 || code > 0x10ffff) return { value: `\\${char}`, length: 1 };
    return { value: String.fromCodePoint(code), length: 1 + digits };
  }

  #word(): JsonValue | undefined {
    const word = this.#name();
    if (Object.hasOwn(WORDS, word)) return WORDS[word];
    this.#at -= word.length;
    return this.#bareWord();
  }

  #bareWord(): string | undefined {
    if (this.#style.bareWords !== true) return undefined;
    const from = this.#at;
    while (this.#at < this.#text.length && !',]}'.includes(this.#text.charAt(this.#at))) this.#at += 1;
    const word = this.#text.slice(from, this.#at).trim();
    return word === '' ? undefined : word;
  }

  #name(): string {
    const from = this.#at;
    if (!isNameStart(this.#text.charCodeAt(from))) return '';
    while (isNameCode(this.#text.charCodeAt(this.#at)) && this.#text.charAt(this.#at) !== ':') this.#at += 1;
    return this.#text.slice(from, this.#at);
  }

  #number(): number | undefined {
    NUMBER.lastIndex = this.#at;
    const written = NUMBER.exec(this.#text)?.[0];
    if (written === undefined || !NUMBER_END.test(this.#text.charAt(this.#at + written.length))) return undefined;
    this.#at += written.length;
    const value = Number(written.replaceAll('_', ''));
    return Number.isFinite(value) ? value : undefined;
  }

  #take(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #skipBlanks(): void {
    while (isBlank(this.#text.charCodeAt(this.#at))) this.#at += 1;
    if (this.#style.loose === true) this.#match(LOOSE_BLANK);
  }
}
