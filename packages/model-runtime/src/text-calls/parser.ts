import type { ToolDefinition } from '@toolyard/protocol';
import type { FamilySet } from './family-set.ts';
import { THINK, THINK_END } from './family-set.ts';
import { MarkdownFence } from './markdown-fence.ts';
import { isBlank, matchMarker } from './markers.ts';
import type { BlockEnd, BlockReader, TextCallPart, ToolCallFamily, ToolCallTextParser } from './types.ts';

/** What a parser needs to know besides its families. */
export type ParserSettings = {
  tools: readonly ToolDefinition[];
  /** True where the prompt already opened the thinking block. */
  startsInReasoning?: boolean;
  /** Names the calls; without it they are `text_call_1`, `text_call_2`, … */
  newId?: () => string;
};

/**
 * - `lead`: nothing but whitespace so far, thinking may begin
 * - `text`: the answer
 * - `think_lead`, `think`: inside the thinking; the prompt may have opened it and the model opens it again
 * - `opening`: behind a start marker, not yet certain whether it is a block
 * - `block`: inside a block
 */
type Mode = 'lead' | 'text' | 'think_lead' | 'think' | 'opening' | 'block';

/**
 * The state machine behind {@link ToolCallTextParser}. Each character is looked at once, give or take the length of a
 * marker, however the text is cut.
 */
export class TextCallParser implements ToolCallTextParser {
  #mode: Mode;
  #out: TextCallPart[] = [];
  /** What is still to be read, the next piece last. */
  readonly #unread: string[] = [];
  /** May be the beginning of a marker. */
  #held = '';
  /** Whitespace that may stand before a marker. */
  #blank = '';
  /** Whitespace here is formatting around the thinking. */
  #skipBlank: boolean;
  /** Behind a block, while only whitespace follows: the end markers that may be doubled. */
  #strays: readonly string[] | null = null;
  #openingMarker = '';
  #openingBlank = '';
  #openingText = '';
  #family: ToolCallFamily | null = null;
  #block: BlockReader | null = null;
  #calls = 0;
  readonly #fence = new MarkdownFence();
  readonly #families: readonly ToolCallFamily[];
  readonly #startMarkers: readonly string[];
  /** The first characters of all markers: any other is text at once. */
  readonly #firstCodes: ReadonlySet<number>;
  readonly #tools: readonly ToolDefinition[];
  readonly #newId: () => string;

  constructor({ families, startMarkers, firstCodes }: FamilySet, settings: ParserSettings) {
    this.#families = families;
    this.#startMarkers = startMarkers;
    this.#firstCodes = firstCodes;
    this.#tools = settings.tools;
    this.#mode = settings.startsInReasoning === true ? 'think_lead' : 'lead';
    this.#skipBlank = settings.startsInReasoning === true;
    this.#newId = settings.newId ?? (() => `text_call_${++this.#calls}`);
  }

  push(chunk: string): TextCallPart[] {
    this.#unread.push(chunk);
    this.#readOn();
    return this.#take();
  }

  end(): TextCallPart[] {
    for (;;) {
      if (this.#mode === 'opening') this.#giveBackOpening();
      else if (this.#block !== null) this.#closeBlock(this.#block.end());
      else break;
      this.#readOn();
    }
    const held = this.#held;
    this.#held = '';
    if (held !== '') this.#write(held);
    // Whitespace behind a block was the block's, not the answer's.
    if (this.#strays === null) this.#flushBlank();
    this.#blank = '';
    return this.#take();
  }

  #take(): TextCallPart[] {
    const out = this.#out;
    this.#out = [];
    return out;
  }

  #readOn(): void {
    for (let text = this.#unread.pop(); text !== undefined; text = this.#unread.pop()) {
      if (text === '') continue;
      const whole = this.#held + text;
      this.#held = '';
      this.#consume(whole);
    }
  }

  /** Reads on until the mode changes, and puts what is left back among the unread. */
  #consume(text: string): void {
    switch (this.#mode) {
      case 'lead':
      case 'text':
        this.#unread.push(this.#consumeText(text));
        return;
      case 'think_lead':
      case 'think':
        this.#unread.push(this.#consumeThinking(text));
        return;
      case 'opening':
        this.#consumeOpening(text);
        return;
      case 'block': {
        const end = this.#block?.push(text) ?? null;
        if (end !== null) this.#closeBlock(end);
        return;
      }
    }
  }

  #consumeText(text: string): string {
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (this.#firstCodes.has(code) && !this.#fence.inside) {
        const match = matchMarker(text, at, this.#textMarkers());
        if (match.kind === 'partial') {
          this.#held = text.slice(at);
          return '';
        }
        if (match.kind === 'whole') {
          this.#meet(match.marker);
          return text.slice(at + match.marker.length);
        }
      }
      const end = this.#endOfPlainRun(text, at);
      this.#write(text.slice(at, end));
      at = end - 1;
    }
    return '';
  }

  #textMarkers(): readonly string[] {
    if (this.#mode === 'lead') return [THINK, ...this.#startMarkers];
    return this.#strays === null ? this.#startMarkers : [...this.#startMarkers, ...this.#strays];
  }

  /** Behind the last of the characters from `at` on that are all written text, or all whitespace. */
  #endOfPlainRun(text: string, at: number): number {
    const blank = isBlank(text.charCodeAt(at));
    let end = at + 1;
    while (end < text.length) {
      const code = text.charCodeAt(end);
      if (isBlank(code) !== blank || this.#firstCodes.has(code)) break;
      end += 1;
    }
    return end;
  }

  #meet(marker: string): void {
    if (marker === THINK) {
      this.#blank = '';
      this.#mode = 'think';
      this.#skipBlank = true;
      return;
    }
    if (this.#strays?.includes(marker) === true) {
      this.#blank = '';
      return;
    }
    this.#mode = 'opening';
    this.#openingMarker = marker;
    this.#openingBlank = '';
    this.#openingText = '';
  }

  #consumeThinking(text: string): string {
    const markers = this.#mode === 'think_lead' ? [THINK, THINK_END] : [THINK_END];
    for (let at = 0; at < text.length; at += 1) {
      const match = this.#firstCodes.has(text.charCodeAt(at)) ? matchMarker(text, at, markers) : null;
      if (match?.kind === 'partial') {
        this.#held = text.slice(at);
        return '';
      }
      if (match?.kind === 'whole') {
        this.#blank = '';
        this.#skipBlank = true;
        this.#mode = match.marker === THINK ? 'think' : 'text';
        return text.slice(at + match.marker.length);
      }
      const end = this.#endOfPlainRun(text, at);
      const before = this.#mode;
      this.#write(text.slice(at, end));
      // Only at its very beginning can the thinking be opened once more.
      if (this.#mode !== before) return text.slice(end);
      at = end - 1;
    }
    return '';
  }

  #consumeOpening(text: string): void {
    let at = 0;
    if (this.#openingText === '') {
      while (at < text.length && isBlank(text.charCodeAt(at))) at += 1;
      this.#openingBlank += text.slice(0, at);
    }
    if (at === text.length) return;
    this.#openingText += text.slice(at);

    let undecided = false;
    for (const family of this.#families) {
      if (!family.startMarkers.includes(this.#openingMarker)) continue;
      const verdict = family.begins(this.#openingText);
      if (verdict === 'yes') {
        this.#openBlock(family);
        return;
      }
      if (verdict === 'undecided') undecided = true;
    }
    if (!undecided) this.#giveBackOpening();
  }

  #openBlock(family: ToolCallFamily): void {
    this.#blank = '';
    this.#skipBlank = false;
    this.#mode = 'block';
    this.#family = family;
    this.#block = family.open(this.#openingMarker + this.#openingBlank, this.#tools);
    this.#unread.push(this.#openingText);
  }

  /** It was no block: its marker is text, and what followed is read again, for it may hold one. */
  #giveBackOpening(): void {
    this.#mode = 'text';
    this.#write(this.#openingMarker);
    this.#unread.push(this.#openingText, this.#openingBlank);
  }

  #closeBlock(end: BlockEnd): void {
    for (const part of end.parts) {
      this.#out.push(part.type === 'tool_call' ? { ...part, id: this.#newId() } : part);
    }
    this.#mode = 'text';
    this.#block = null;
    this.#strays = this.#family?.strayMarkers ?? [];
    this.#fence.leaveLineStart();
    this.#unread.push(...end.rest.toReversed());
  }

  /** Takes a run of written text, or of whitespace. */
  #write(run: string): void {
    const thinking = this.#mode === 'think' || this.#mode === 'think_lead';
    if (isBlank(run.charCodeAt(0))) {
      if (this.#skipBlank) return;
      this.#blank += run;
      if (!thinking) this.#feedFence(run);
      return;
    }
    this.#skipBlank = false;
    this.#flushBlank();
    if (this.#mode === 'lead') this.#mode = 'text';
    if (this.#mode === 'think_lead') this.#mode = 'think';
    this.#strays = null;
    this.#emit(thinking ? 'reasoning' : 'text', run);
    if (!thinking) this.#feedFence(run);
  }

  #flushBlank(): void {
    if (this.#blank === '') return;
    const thinking = this.#mode === 'think' || this.#mode === 'think_lead';
    this.#emit(thinking ? 'reasoning' : 'text', this.#blank);
    this.#blank = '';
  }

  #emit(type: 'text' | 'reasoning', text: string): void {
    const last = this.#out.at(-1);
    if (last !== undefined && last.type === type) last.text += text;
    else this.#out.push({ type, text });
  }

  #feedFence(run: string): void {
    if (this.#fence.settled && !isBlank(run.charCodeAt(0))) return;
    for (let at = 0; at < run.length; at += 1) this.#fence.feed(run.charCodeAt(at));
  }
}
