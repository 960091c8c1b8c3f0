import type { JsonObject } from '@toolyard/protocol';
import type { Source } from './source.ts';
import type { OfferedTools } from './offered-tools.ts';

/** How the reading of a block ends: everything before the cursor is consumed, or everything before `upTo` is text. */
export type BlockVerdict = { type: 'done' } | { type: 'text'; upTo: number };

export const READER_DONE: BlockVerdict = { type: 'done' };

/** A call found by a reader. `id` is the model's own, if it wrote one. */
export type FoundPart =
  | { type: 'tool_call'; name: string; arguments: JsonObject; id: string | null }
  | { type: 'malformed_tool_call'; raw: string; reason: string };

/** Operations of the parser that a block uses. */
export type BlockHost = {
  emit(part: FoundPart): void;
  /** Adds text that is certainly not a call. */
  write(text: string): void;
  /** Position of another block in a range that turned out not to be a call; null if none. */
  findMarker(from: number, to: number): number | null;
};

/** The context of a reader: the text, the tools, and the output. */
export class TextBlock {
  readonly source: Source;
  readonly tools: OfferedTools;
  /** Start of the opening's marker, and start of the text after it. */
  readonly start: number;
  readonly body: number;
  /** Number of calls found, including malformed ones. */
  found = 0;
  readonly #host: BlockHost;
  #emittedTo: number;
  #pending: { raw: string; reason: string } | null = null;

  constructor(source: Source, tools: OfferedTools, start: number, host: BlockHost) {
    this.source = source;
    this.tools = tools;
    this.start = start;
    this.body = source.position;
    this.#emittedTo = start;
    this.#host = host;
  }

  call(name: string, args: JsonObject, id: string | null = null): BlockVerdict {
    this.#flush();
    this.found += 1;
    this.#host.emit({ type: 'tool_call', name, arguments: args, id });
    return READER_DONE;
  }

  /** Adds a call that cannot run; its text starts at `from`. */
  malformed(reason: string, from: number, to = this.source.position): BlockVerdict {
    this.#flush();
    this.found += 1;
    const part = { raw: this.source.text(from, to), reason };
    if (this.found === 1) this.#pending = part;
    else this.#host.emit({ type: 'malformed_tool_call', ...part });
    return READER_DONE;
  }

  /** Adds all that is left of the text as a call that is not complete. */
  cutOff(reason = 'the call is cut off'): BlockVerdict {
    this.source.seekToEnd();
    return this.malformed(reason, this.start);
  }

  /** Ends a block that is malformed without any call. */
  finish(reason = 'there is no call in it'): BlockVerdict {
    return this.found > 0 ? READER_DONE : this.malformed(reason, this.start);
  }

  /** Adds text between the markup of a call. */
  say(text: string): void {
    this.#host.write(text);
  }

  /** Adds everything before the cursor that was not yet emitted as text. */
  pass(): void {
    const { position } = this.source;
    if (position > this.#emittedTo) this.#host.write(this.source.text(this.#emittedTo, position));
    this.#emittedTo = position;
  }

  /**
   * Position of another call between `from` and the cursor, after text that was not a call; the cursor position if
   * none.
   */
  nextMarker(from: number): number {
    return this.#host.findMarker(from, this.source.position) ?? this.source.position;
  }

  /** Ends the block. A single malformed call is shown with all of its markup. */
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
