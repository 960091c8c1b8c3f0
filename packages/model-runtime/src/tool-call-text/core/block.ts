import type { JsonObject } from '@toolyard/protocol';
import type { Source } from './source.ts';
import type { OfferedTools } from './offered-tools.ts';

/** A call as a reader finds it. `id` is the model's own, if it wrote one. */
export type FoundPart =
  | { type: 'tool_call'; name: string; arguments: JsonObject; id: string | null }
  | { type: 'malformed_tool_call'; raw: string; reason: string };

/** What the parser does for a block. */
export type BlockHost = {
  emit(part: FoundPart): void;
  /** Takes text that is certainly no call. */
  write(text: string): void;
  /** Where in a stretch that proved to be no call another block begins; null if nowhere. */
  findMarker(from: number, to: number): number | null;
};

/** What a reader works with: the text, the tools, and where to put what it finds. */
export class TextBlock {
  readonly source: Source;
  readonly tools: OfferedTools;
  /** Where the opening's marker begins, and where the text behind it begins. */
  readonly start: number;
  readonly body: number;
  /** How many calls were found, malformed ones too. */
  found = 0;
  readonly #host: BlockHost;
  #passed: number;
  #pending: { raw: string; reason: string } | null = null;

  constructor(source: Source, tools: OfferedTools, start: number, host: BlockHost) {
    this.source = source;
    this.tools = tools;
    this.start = start;
    this.body = source.position;
    this.#passed = start;
    this.#host = host;
  }

  call(name: string, args: JsonObject, id: string | null = null): void {
    this.#flush();
    this.found += 1;
    this.#host.emit({ type: 'tool_call', name, arguments: args, id });
  }

  /** Notes a call that cannot run; what it is shown as begins at `from`. */
  malformed(reason: string, from: number, to = this.source.position): void {
    this.#flush();
    this.found += 1;
    const part = { raw: this.source.text(from, to), reason };
    if (this.found === 1) this.#pending = part;
    else this.#host.emit({ type: 'malformed_tool_call', ...part });
  }

  /** Takes text that stood among the markup of a call. */
  say(text: string): void {
    this.#host.write(text);
  }

  /** What lies before the cursor and was not passed yet is text. */
  pass(): void {
    const { position } = this.source;
    if (position > this.#passed) this.#host.write(this.source.text(this.#passed, position));
    this.#passed = position;
  }

  /**
   * Where in the stretch from `from` to the cursor another call begins, the text before it having been no call; the
   * cursor's place if nowhere.
   */
  nextMarker(from: number): number {
    return this.#host.findMarker(from, this.source.position) ?? this.source.position;
  }

  /** The block is over. A malformed call that stands alone is shown with all of its markup. */
  close(): void {
    if (this.#pending !== null) this.#pending.raw = this.source.text(this.start, this.source.position);
    this.#flush();
  }

  #flush(): void {
    if (this.#pending === null) return;
    const part = this.#pending;
    this.#pending = null;
    this.#host.emit({ type: 'malformed_tool_call', ...part });
  }
}
