import { AnswerWriter } from './core/answer-writer.ts';
import { TextBlock, type FoundPart } from './core/block.ts';
import { isWordCode, type MarkerTrie, type TrieNode } from './core/marker-trie.ts';
import type { BlockReader, Opening, Section } from './core/opening.ts';
import { hasMore, peekBehindBlanks, type TextReading } from './core/reading.ts';
import { NO_CHARACTER, Source } from './core/source.ts';
import { OfferedTools } from './core/offered-tools.ts';
import type { TextCallDialect } from './dialect.ts';
import { dropMarker } from './thinking.ts';
import type { TextCallPart, TextCallTool, ToolCallTextParser } from './types.ts';

/** Settings of a parser besides its dialect. */
export type ParserSettings = {
  tools: readonly TextCallTool[];
  /** True if the prompt already opened the thinking block. */
  startsInReasoning?: boolean;
  /** Generates ids for calls without one; default `text_call_1`, `text_call_2`, … */
  newId?: () => string;
  /** Called for each block that contains calls: where it begins and ends, and how many it has, malformed or not. */
  onBlock?: (start: number, end: number, calls: number) => void;
};

/** A matched marker: its start, and all openings with that marker. */
type Match = { start: number; openings: readonly Opening[] };

const strayMarker: Opening = { marker: '', place: 'after_call', read: dropMarker };

/**
 * The implementation of {@link ToolCallTextParser}: one reader over the whole answer, suspended when all received text
 * is consumed. Ordinary text is emitted immediately; a block is passed to the reader of its family.
 */
export class TextCallParser implements ToolCallTextParser {
  readonly #source = new Source();
  readonly #writer: AnswerWriter;
  readonly #reading: TextReading<void>;
  readonly #dialect: TextCallDialect;
  readonly #tools: OfferedTools;
  readonly #newId: () => string;
  readonly #ids = new Set<string>();
  readonly #onBlock: ParserSettings['onBlock'];
  #emitted = 0;
  #freshIds = 0;
  #section: Section;
  /** True while unclosed thinking is parsed a second time, for the calls in it. */
  #rereading = false;

  constructor(dialect: TextCallDialect, settings: ParserSettings) {
    this.#dialect = dialect;
    this.#tools = new OfferedTools(settings.tools);
    this.#section = settings.startsInReasoning === true ? dialect.promptOpenedThinking : dialect.text;
    this.#writer = new AnswerWriter(this.#section.kind);
    this.#onBlock = settings.onBlock;
    this.#newId = settings.newId ?? (() => `text_call_${++this.#freshIds}`);
    this.#reading = this.#read();
  }

  push(chunk: string): TextCallPart[] {
    this.#source.add(chunk);
    this.#reading.next();
    return this.#writer.take();
  }

  end(): TextCallPart[] {
    this.#source.ended = true;
    this.#reading.next();
    return this.#writer.take();
  }

  /** Number of characters examined so far. */
  get examined(): number {
    return this.#source.examined;
  }

  *#read(): TextReading<void> {
    if (this.#dialect.first !== undefined) yield* this.#readBlock(this.#dialect.first, this.#source.position);
    for (;;) {
      const match = yield* this.#readToMarker();
      if (match === null) break;
      yield* this.#readOpening(match);
    }
    this.#writer.end();
  }

  /** Emits the text before the next marker. Null: end of the text. */
  *#readToMarker(): TextReading<Match | null> {
    const source = this.#source;
    const trie = this.#dialect.trie(this.#section);
    for (;;) {
      // Hot path of ordinary text: waits without a nested generator.
      while (source.peek() === NO_CHARACTER) {
        if (source.ended) return null;
        yield;
      }
      source.forget();
      const { piece, at } = source;
      const candidate = trie.nextCandidate(piece, at, this.#writer);
      if (candidate > at) {
        source.examined += candidate - at;
        source.at = candidate;
        this.#writer.write(piece.slice(at, candidate));
        continue;
      }
      const start = source.position;
      const openings = yield* this.#match(trie);
      if (openings.length > 0) return { start, openings };
      source.advance();
      this.#writer.write(source.text(start, start + 1));
    }
  }

  /** Reads the longest marker that matches and is allowed here; empty if none. */
  *#match(trie: MarkerTrie): TextReading<readonly Opening[]> {
    const source = this.#source;
    const start = source.position;
    let found: readonly Opening[] = [];
    let end = start;
    let node: TrieNode | undefined = trie.root;
    while (node.next.size > 0) {
      if (source.peek() === NO_CHARACTER && !(yield* hasMore(source))) {
        // Half of an end marker is not text either; a single character is ambiguous.
        if (this.#writer.afterCall && source.position - start > 1 && leadsToStray(node)) return [strayMarker];
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
    const { lead, afterCall, skipsBlanks, lastCode, indent } = this.#writer;
    switch (opening.place ?? 'anywhere') {
      case 'anywhere':
        return true;
      case 'lead':
        return this.#section.kind === 'reasoning' ? skipsBlanks : lead;
      case 'after_call':
        return afterCall;
      case 'word':
        return !isWordCode(lastCode);
      case 'line':
        return indent !== NO_CHARACTER && indent < 4;
      case 'indented':
        return indent !== NO_CHARACTER;
    }
  }

  *#readOpening({ start, openings }: Match): TextReading<void> {
    const body = this.#source.position;
    const opening = yield* this.#choose(openings);
    if (opening === null) this.#writer.write(this.#source.text(start, body));
    else if (this.#isCallInThinking(opening)) yield* this.#readToEndOfThinking(start);
    else yield* this.#readBlock(opening.read, start);
  }

  /** Chooses the family that accepts the following character, among those that share the marker. */
  *#choose(openings: readonly Opening[]): TextReading<Opening | null> {
    const [only] = openings;
    if (openings.length === 1 && only?.begins === undefined) return only ?? null;
    const code = yield* peekBehindBlanks(this.#source);
    return openings.find(({ begins }) => begins === undefined || (code !== NO_CHARACTER && begins(code))) ?? null;
  }

  #isCallInThinking(opening: Opening): boolean {
    return this.#section.kind === 'reasoning' && opening.inUnclosedThinking === true && !this.#rereading;
  }

  /**
   * A call within thinking does not count if the thinking is closed. If it never is, the text is parsed again from
   * here.
   */
  *#readToEndOfThinking(start: number): TextReading<void> {
    const source = this.#source;
    const trie = this.#dialect.getEnds(this.#section);
    for (;;) {
      if (source.peek() === NO_CHARACTER && !(yield* hasMore(source))) {
        source.seek(start);
        this.#rereading = true;
        return;
      }
      const candidate = trie.nextCandidate(source.piece, source.at, this.#writer);
      source.examined += candidate - source.at;
      source.at = candidate;
      if (source.peek() === NO_CHARACTER) continue;
      const end = source.position;
      const openings = yield* this.#match(trie);
      if (openings.length > 0) {
        source.seek(end);
        this.#writer.write(source.text(start, end));
        return;
      }
      source.advance();
    }
  }

  *#readBlock(read: BlockReader, start: number): TextReading<void> {
    const source = this.#source;
    const block = new TextBlock(source, this.#tools, start, {
      emit: (part) => this.#add(part),
      write: (text) => this.#writer.write(text),
      findMarker: (from, to) => this.#findMarker(from, to),
    });
    const before = this.#emitted;
    const verdict = yield* read(block);
    switch (verdict.type) {
      case 'text':
        source.seek(verdict.upTo);
        block.close();
        if (block.found === 0) this.#writer.write(source.text(start, verdict.upTo));
        this.#report(start, before);
        return;
      case 'done':
        block.close();
        this.#report(start, before);
        return;
      case 'enter':
        this.#enter(verdict.section);
        return;
      case 'leave':
        this.#enter(this.#dialect.text);
        return;
    }
  }

  #report(start: number, before: number): void {
    const calls = this.#emitted - before;
    if (calls > 0) this.#onBlock?.(start, this.#source.position, calls);
  }

  #enter(section: Section): void {
    this.#section = section;
    this.#writer.enter(section.kind);
  }

  /** Position of another block in a range that turned out not to be one, after what may be the end of a call. */
  #findMarker(from: number, to: number): number | null {
    const range = this.#source.text(from, to);
    this.#source.examined += range.length;
    const at = this.#dialect.findStrong(range);
    return at === null ? null : from + at;
  }

  #add(part: FoundPart): void {
    const isThinking = this.#section.kind === 'reasoning';
    if (part.type === 'malformed_tool_call') {
      // Within thinking, it only mentions a call.
      if (isThinking) {
        this.#writer.write(part.raw);
        return;
      }
      this.#emitted += 1;
      this.#writer.add(part);
      return;
    }
    this.#emitted += 1;
    this.#writer.add({ type: 'tool_call', id: this.#claimId(part.id), name: part.name, arguments: part.arguments });
    if (isThinking) this.#section = this.#dialect.text;
  }

  /** The model's id, unless another call of the same answer already has it. */
  #claimId(own: string | null): string {
    const id = own === null || this.#ids.has(own) ? this.#newId() : own;
    this.#ids.add(id);
    return id;
  }
}

function leadsToStray(node: TrieNode): boolean {
  if (node.openings.some((opening) => opening.place === 'after_call')) return true;
  return [...node.next.values()].some(leadsToStray);
}
