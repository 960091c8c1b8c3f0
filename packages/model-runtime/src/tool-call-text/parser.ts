import type { JsonObject } from '@toolyard/protocol';
import { Block, type FoundPart } from './core/block.ts';
import { isWordCode, type MarkerTrie, type TrieNode } from './core/marker-trie.ts';
import type { BlockReader, Opening, Section } from './core/opening.ts';
import { isBlank, more, peekBehindBlanks, type Reading } from './core/reading.ts';
import { NONE, Source } from './core/source.ts';
import { ToolBook } from './core/tool-book.ts';
import type { Dialect } from './dialect.ts';
import { swallow } from './thinking.ts';
import type { TextCallPart, TextCallTool, ToolCallTextParser } from './types.ts';

/** What a parser needs to know besides what it listens for. */
export type ParserSettings = {
  tools: readonly TextCallTool[];
  /** True where the prompt already opened the thinking block. */
  startsInReasoning?: boolean;
  /** Names calls whose id the model did not write; without it they are `text_call_1`, `text_call_2`, … */
  newId?: () => string;
};

/** An opening's marker was found: where it begins, and all the openings it may be. */
type Match = { start: number; openings: readonly Opening[] };

const halfStray: Opening = { marker: '', place: 'after_call', read: swallow };

const NEWLINE = 10;
const SPACE = 32;

/**
 * The machine behind {@link ToolCallTextParser}: one reading of the whole answer that pauses wherever the text that has
 * arrived is used up. What is no block is written at once; a block is left to its family's reader.
 */
export class TextCallParser implements ToolCallTextParser {
  readonly #source = new Source();
  readonly #reading: Reading<void>;
  readonly #dialect: Dialect;
  readonly #tools: ToolBook;
  readonly #newId: () => string;
  readonly #ids = new Set<string>();
  #out: TextCallPart[] = [];
  #section: Section;
  /** Whitespace that may stand before a marker. */
  #blank = '';
  /** Whitespace here is formatting: around thinking. */
  #skipsBlanks: boolean;
  /** Nothing was said yet but thinking. */
  #lead = true;
  /** Nothing but whitespace since a call. */
  #afterCall = false;
  /** The thinking never ended: it is read a second time, for the calls in it. */
  #rereading = false;
  /** The last character written, and how far its line is indented; NONE where more than that stands on it. */
  #lastCode = NEWLINE;
  #indent = 0;
  #freshIds = 0;

  constructor(dialect: Dialect, settings: ParserSettings) {
    this.#dialect = dialect;
    this.#tools = new ToolBook(settings.tools);
    const startsInReasoning = settings.startsInReasoning === true;
    this.#section = startsInReasoning ? dialect.promptOpenedThinking : dialect.text;
    this.#skipsBlanks = startsInReasoning;
    this.#newId = settings.newId ?? (() => `text_call_${++this.#freshIds}`);
    this.#reading = this.#read();
  }

  push(chunk: string): TextCallPart[] {
    this.#source.add(chunk);
    this.#reading.next();
    return this.#take();
  }

  end(): TextCallPart[] {
    this.#source.ended = true;
    this.#reading.next();
    return this.#take();
  }

  /** How many characters were looked at so far. */
  get examined(): number {
    return this.#source.examined;
  }

  #take(): TextCallPart[] {
    const out = this.#out;
    this.#out = [];
    return out;
  }

  *#read(): Reading<void> {
    if (this.#dialect.first !== undefined) yield* this.#readBlock(this.#dialect.first, this.#source.position);
    for (;;) {
      const match = yield* this.#readToMarker();
      if (match === null) break;
      yield* this.#readOpening(match);
    }
    // Whitespace behind a call was the call's, not the answer's.
    if (!this.#afterCall) this.#flushBlank();
  }

  /** Writes what stands before the next marker. Null: the text is over. */
  *#readToMarker(): Reading<Match | null> {
    const source = this.#source;
    const trie = this.#dialect.trie(this.#section);
    for (;;) {
      if (source.peek() === NONE && !(yield* more(source))) return null;
      source.forget();
      const { piece, at } = source;
      const candidate = trie.nextCandidate(piece, at, this.#place());
      if (candidate > at) {
        source.examined += candidate - at;
        source.at = candidate;
        this.#write(piece.slice(at, candidate));
        continue;
      }
      const start = source.position;
      const openings = yield* this.#match(trie);
      if (openings.length > 0) return { start, openings };
      source.advance();
      this.#write(source.text(start, start + 1));
    }
  }

  /** Reads the longest marker that stands here and may stand here; none if there is none. */
  *#match(trie: MarkerTrie): Reading<readonly Opening[]> {
    const source = this.#source;
    const start = source.position;
    let found: readonly Opening[] = [];
    let end = start;
    let node: TrieNode | undefined = trie.root;
    while (node.next.size > 0) {
      if (source.peek() === NONE && !(yield* more(source))) {
        // Half of what ends a call is as little text as all of it.
        if (this.#afterCall && leadsToStray(node)) return [halfStray];
        break;
      }
      node = node.next.get(source.peek());
      if (node === undefined) break;
      source.advance();
      const openings = node.openings.filter((opening) => this.#mayStandHere(opening));
      if (openings.length === 0) continue;
      found = openings;
      end = source.position;
    }
    source.seek(end);
    return found;
  }

  #mayStandHere(opening: Opening): boolean {
    switch (opening.place ?? 'anywhere') {
      case 'anywhere':
        return true;
      case 'lead':
        return this.#section.kind === 'reasoning' ? this.#skipsBlanks : this.#lead;
      case 'after_call':
        return this.#afterCall;
      case 'word':
        return !isWordCode(this.#lastCode);
      case 'line':
        return this.#indent !== NONE && this.#indent < 4;
      case 'indented':
        return this.#indent !== NONE;
    }
  }

  #place(): { lastCode: number; atLineStart: boolean } {
    return { lastCode: this.#lastCode, atLineStart: this.#indent !== NONE };
  }

  *#readOpening({ start, openings }: Match): Reading<void> {
    const body = this.#source.position;
    const opening = yield* this.#choose(openings);
    if (opening === null) this.#write(this.#source.text(start, body));
    else if (this.#isCallInThinking(opening)) yield* this.#readToEndOfThinking(start);
    else yield* this.#readBlock(opening.read, start);
  }

  /** Which of the families that share a marker takes what follows. */
  *#choose(openings: readonly Opening[]): Reading<Opening | null> {
    const [only] = openings;
    if (openings.length === 1 && only?.begins === undefined) return only ?? null;
    const code = yield* peekBehindBlanks(this.#source);
    return openings.find(({ begins }) => begins === undefined || (code !== NONE && begins(code))) ?? null;
  }

  #isCallInThinking(opening: Opening): boolean {
    return this.#section.kind === 'reasoning' && opening.inUnclosedThinking === true && !this.#rereading;
  }

  /** A call in the thinking is none if the thinking ends. Only if it never does is it read again from here on. */
  *#readToEndOfThinking(start: number): Reading<void> {
    const source = this.#source;
    const trie = this.#dialect.endsOf(this.#section);
    for (;;) {
      if (source.peek() === NONE && !(yield* more(source))) {
        source.seek(start);
        this.#rereading = true;
        return;
      }
      const candidate = trie.nextCandidate(source.piece, source.at, this.#place());
      source.examined += candidate - source.at;
      source.at = candidate;
      if (source.peek() === NONE) continue;
      const end = source.position;
      const openings = yield* this.#match(trie);
      if (openings.length > 0) {
        source.seek(end);
        this.#write(source.text(start, end));
        return;
      }
      source.advance();
    }
  }

  *#readBlock(read: BlockReader, start: number): Reading<void> {
    const source = this.#source;
    const block = new Block(source, this.#tools, start, {
      emit: (part) => this.#emitFound(part),
      write: (text) => this.#write(text),
      findMarker: (from, to) => this.#findMarker(from, to),
    });
    const verdict = yield* read(block);
    switch (verdict.type) {
      case 'text':
        source.seek(verdict.upTo);
        block.close();
        if (block.found === 0) this.#write(source.text(start, verdict.upTo));
        return;
      case 'done':
        block.close();
        return;
      case 'enter':
        block.close();
        this.#enter(verdict.section);
        return;
      case 'leave':
        this.#enter(this.#dialect.text);
        return;
    }
  }

  #enter(section: Section): void {
    const isThinking = section.kind === 'reasoning' || this.#section.kind === 'reasoning';
    if (isThinking || this.#lead) {
      this.#blank = '';
      this.#skipsBlanks = true;
    }
    this.#section = section;
    this.#afterCall = false;
  }

  /** Where in a stretch that was no block another one begins, behind what may have been the end of a call. */
  #findMarker(from: number, to: number): number | null {
    const stretch = this.#source.text(from, to);
    this.#source.examined += stretch.length;
    const at = this.#dialect.findStrong(stretch);
    return at === null ? null : from + at;
  }

  #emitFound(part: FoundPart): void {
    if (part.type === 'malformed_tool_call' && this.#section.kind === 'reasoning') {
      // Thinking about a call, not calling.
      this.#write(part.raw);
      return;
    }
    if (part.type === 'malformed_tool_call') {
      this.#flushBlank();
      this.#out.push(part);
    } else {
      const { name, arguments: args, id } = part;
      this.#out.push({ type: 'tool_call', id: this.#idOf(id), name, arguments: args satisfies JsonObject });
    }
    if (this.#section.kind === 'reasoning') this.#section = this.#dialect.text;
    this.#rereading = false;
    this.#blank = '';
    this.#skipsBlanks = false;
    this.#lead = false;
    this.#afterCall = true;
    this.#noteWritten('.');
  }

  /** The model's own id, unless it gave it to another call of the same answer. */
  #idOf(own: string | null): string {
    const id = own === null || this.#ids.has(own) ? this.#newId() : own;
    this.#ids.add(id);
    return id;
  }

  /** Takes text of the answer, or of the thinking: whitespace at its end waits for what follows. */
  #write(text: string): void {
    if (text === '') return;
    let end = text.length;
    while (end > 0 && isBlank(text.charCodeAt(end - 1))) end -= 1;
    let from = 0;
    if (this.#skipsBlanks) {
      while (from < end && isBlank(text.charCodeAt(from))) from += 1;
    }
    if (end > from) {
      this.#flushBlank();
      this.#skipsBlanks = false;
      this.#afterCall = false;
      if (this.#section.kind === 'text') this.#lead = false;
      this.#emit(from === 0 && end === text.length ? text : text.slice(from, end));
    }
    if (!this.#skipsBlanks) this.#blank += text.slice(end);
    this.#noteWritten(text);
  }

  #noteWritten(text: string): void {
    this.#lastCode = text.charCodeAt(text.length - 1);
    let at = text.length;
    while (at > 0 && text.charCodeAt(at - 1) === SPACE) at -= 1;
    const spaces = text.length - at;
    if (at === 0) this.#indent = this.#indent === NONE ? NONE : this.#indent + spaces;
    else this.#indent = text.charCodeAt(at - 1) === NEWLINE ? spaces : NONE;
  }

  #flushBlank(): void {
    if (this.#blank === '') return;
    const blank = this.#blank;
    this.#blank = '';
    this.#emit(blank);
  }

  #emit(text: string): void {
    const type = this.#section.kind;
    const last = this.#out.at(-1);
    if (last !== undefined && last.type === type) last.text += text;
    else this.#out.push({ type, text });
  }
}

function leadsToStray(node: TrieNode): boolean {
  if (node.openings.some((opening) => opening.place === 'after_call')) return true;
  return [...node.next.values()].some(leadsToStray);
}
