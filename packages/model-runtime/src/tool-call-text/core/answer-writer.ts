import type { TextCallPart } from '../types.ts';
import { isBlank } from './reading.ts';
import { NO_CHARACTER } from './source.ts';

type Kind = 'text' | 'reasoning';

const NEWLINE = 10;
const SPACE = 32;

/** Puts together what is handed out, and knows what was said last: where a marker stands decides what it means. */
export class AnswerWriter {
  /** What is written is part of the answer, or of the thinking. */
  #kind: Kind;
  /** Nothing of the answer was written yet. */
  lead = true;
  /** Nothing but whitespace was written since a call. */
  afterCall = false;
  /** Whitespace here is formatting: at the beginning of thinking, and behind it. */
  skipsBlanks: boolean;
  /** The last character written. */
  lastCode = NEWLINE;
  /** How far the line is indented; NONE where more than that stands on it. */
  indent = 0;
  #out: TextCallPart[] = [];
  /** Whitespace that may stand before a marker. */
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

  /** Whitespace at the end of `text` waits for what follows. */
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
    this.#note(text);
  }

  /** Adds a call. Whitespace before it was formatting; before one that cannot run, it is text like what is shown of it. */
  add(part: Exclude<TextCallPart, { type: Kind }>): void {
    if (part.type === 'malformed_tool_call') this.#flushBlank();
    this.#blank = '';
    this.#out.push(part);
    this.#kind = 'text';
    this.skipsBlanks = false;
    this.lead = false;
    this.afterCall = true;
    this.#note('.');
  }

  /** What follows is of the answer, or of the thinking. Around thinking, whitespace is formatting. */
  enter(kind: Kind): void {
    if (kind === 'reasoning' || this.#kind === 'reasoning' || this.lead) {
      this.#blank = '';
      this.skipsBlanks = true;
    }
    this.#kind = kind;
    this.afterCall = false;
  }

  /** The answer is over. Whitespace behind a call was the call's. */
  end(): void {
    if (!this.afterCall) this.#flushBlank();
  }

  #note(text: string): void {
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
