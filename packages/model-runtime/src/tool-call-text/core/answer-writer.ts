import type { TextCallPart } from '../types.ts';
import { isBlank } from './reading.ts';
import { NO_CHARACTER } from './source.ts';
import { NEWLINE, SPACE } from './codes.ts';

type Kind = 'text' | 'reasoning';

/** Builds the output and tracks what was written last, because the position of a marker determines its meaning. */
export class AnswerWriter {
  /** Whether the current text belongs to the answer or to thinking. */
  #kind: Kind;
  /** True until something of the answer was written. */
  lead = true;
  /** True if only whitespace was written since a call. */
  afterCall = false;
  /** Whitespace is formatting here: at the start of thinking and after it. */
  skipsBlanks: boolean;
  /** The last character written. */
  lastCode = NEWLINE;
  /** Indentation of the current line; NONE if other characters precede. */
  indent = 0;
  #out: TextCallPart[] = [];
  /** Whitespace that may precede a marker. */
  #blank = '';

  constructor(kind: Kind) {
    this.#kind = kind;
    this.skipsBlanks = kind === 'reasoning';
  }

  take(): TextCallPart[] {
    const out = this.#out;
    this.#out = [];
    return out;
  }

  /** Whitespace at the end of `text` is buffered until more text follows. */
  write(text: string): void {
    if (text === '') return;
    let end = text.length;
    while (end > 0 && isBlank(text.charCodeAt(end - 1))) end -= 1;
    let from = 0;
    if (this.skipsBlanks) {
      while (from < end && isBlank(text.charCodeAt(from))) from += 1;
    }
    if (end > from) {
      this.#flushBlank();
      this.skipsBlanks = false;
      this.afterCall = false;
      if (this.#kind === 'text') this.lead = false;
      this.#emit(from === 0 && end === text.length ? text : text.slice(from, end));
    }
    if (!this.skipsBlanks) this.#blank += text.slice(end);
    this.#track(text);
  }

  /** Adds a call. Whitespace before it is formatting, but text before a malformed call, which is shown as text. */
  add(part: Exclude<TextCallPart, { type: Kind }>): void {
    if (part.type === 'malformed_tool_call') this.#flushBlank();
    this.#blank = '';
    this.#out.push(part);
    this.#kind = 'text';
    this.skipsBlanks = false;
    this.lead = false;
    this.afterCall = true;
    this.#track('.');
  }

  /** Switches between answer and thinking. Whitespace around thinking is formatting. */
  enter(kind: Kind): void {
    if (kind === 'reasoning' || this.#kind === 'reasoning' || this.lead) {
      this.#blank = '';
      this.skipsBlanks = true;
    }
    this.#kind = kind;
    this.afterCall = false;
  }

  /** Ends the answer. Whitespace after a call is formatting. */
  end(): void {
    if (!this.afterCall) this.#flushBlank();
  }

  #track(text: string): void {
    this.lastCode = text.charCodeAt(text.length - 1);
    let at = text.length;
    while (at > 0 && text.charCodeAt(at - 1) === SPACE) at -= 1;
    const spaces = text.length - at;
    if (at === 0) this.indent = this.indent === NO_CHARACTER ? NO_CHARACTER : this.indent + spaces;
    else this.indent = text.charCodeAt(at - 1) === NEWLINE ? spaces : NO_CHARACTER;
  }

  #flushBlank(): void {
    if (this.#blank === '') return;
    const blank = this.#blank;
    this.#blank = '';
    this.#emit(blank);
  }

  #emit(text: string): void {
    const last = this.#out.at(-1);
    if (last !== undefined && last.type === this.#kind) last.text += text;
    else this.#out.push({ type: this.#kind, text });
  }
}
