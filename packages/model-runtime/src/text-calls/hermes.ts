import { readCallObject } from './call-object.ts';
import { JsonObjectScanner } from './json-scanner.ts';
import { isBlank, matchMarker } from './markers.ts';
import type { BlockEnd, BlockPart, BlockReader, ToolCallFamily } from './types.ts';

const START = '<tool_call>';
const END = '</tool_call>';
const MARKERS = [END, START];

/**
 * `<tool_call>{"name": …, "arguments": {…}}</tool_call>`: Hermes 2 and 3, Qwen 2.5 and 3, QwQ, Granite 4 and many
 * more. One block may hold several objects, in an array or one behind the other.
 */
export const hermes: ToolCallFamily = {
  name: 'hermes',
  startMarkers: [START],
  strayMarkers: [END],
  begins: (text) => (text.startsWith('{') || text.startsWith('[') ? 'yes' : 'no'),
  open: (opening) => new HermesBlock(opening),
};

/**
 * - `between`: before, between and behind the objects
 * - `object`: inside one
 * - `broken`: something is no JSON; skipping to the next marker
 */
type State = 'between' | 'object' | 'broken';

const SEPARATORS = new Set([...'[],}'].map((char) => char.charCodeAt(0)));
const OPEN_BRACE = 123;
const LESS_THAN = 60;

class HermesBlock implements BlockReader {
  #state: State = 'between';
  /** Everything of the block so far, without the opening. */
  #body = '';
  /** Where the object or the broken stretch under way begins in the body. */
  #from = 0;
  /** How far the body was looked at; what lies behind may be the beginning of a marker. */
  #at = 0;
  #scanner = new JsonObjectScanner();
  #whole = 0;
  readonly #parts: BlockPart[] = [];
  readonly #opening: string;

  constructor(opening: string) {
    this.#opening = opening;
  }

  push(text: string): BlockEnd | null {
    this.#body += text;
    const body = this.#body;
    while (this.#at < body.length) {
      const code = body.charCodeAt(this.#at);
      if (this.#state === 'object') {
        const end = this.#scan(code);
        if (end !== null) return end;
        continue;
      }
      if (code !== LESS_THAN) {
        this.#between(code);
        continue;
      }
      const match = matchMarker(body, this.#at, MARKERS);
      if (match.kind === 'partial') return null;
      if (match.kind === 'whole') return this.#endAt(this.#at, match.marker);
      this.#break();
      this.#at += 1;
    }
    return null;
  }

  end(): BlockEnd {
    if (this.#state === 'object') {
      const recovered = this.#recover();
      if (recovered !== null) return recovered;
      this.#addMalformed(this.#body.slice(this.#from), 'the JSON of the call is cut off');
      return this.#close(this.#body.length);
    }
    if (this.#state === 'broken' && this.#whole > 0 && this.#body.charCodeAt(this.#from) !== OPEN_BRACE) {
      // Whole calls, no end marker, then something else: the answer went on behind them.
      return this.#close(this.#blankBefore(this.#from));
    }
    if (this.#state === 'broken') {
      this.#addMalformed(this.#body.slice(this.#from), 'it is not JSON');
    } else if (this.#parts.length === 0) {
      this.#addMalformed(this.#body, 'the call is cut off');
    }
    return this.#close(this.#body.length);
  }

  #between(code: number): void {
    if (this.#state === 'between' && code === OPEN_BRACE) {
      this.#state = 'object';
      this.#from = this.#at;
      this.#scanner = new JsonObjectScanner();
      return;
    }
    if (!isBlank(code) && !SEPARATORS.has(code)) this.#break();
    this.#at += 1;
  }

  #scan(code: number): BlockEnd | null {
    const state = this.#scanner.feed(code);
    if (state === 'broken') {
      this.#state = 'broken';
      return this.#recover();
    }
    this.#at += 1;
    if (state === 'whole') this.#addObject(this.#body.slice(this.#from, this.#at));
    return null;
  }

  #break(): void {
    if (this.#state === 'broken') return;
    this.#state = 'broken';
    this.#from = this.#at;
  }

  /** What was taken for a string may have hidden a marker: one quote too few must not swallow the next call. */
  #recover(): BlockEnd | null {
    const hidden = this.#body.slice(this.#from, this.#at);
    const end = hidden.indexOf(END);
    const start = hidden.indexOf(START);
    if (end === -1 && start === -1) return null;
    this.#state = 'broken';
    const endFirst = start === -1 || (end !== -1 && end < start);
    return this.#endAt(this.#from + (endFirst ? end : start), endFirst ? END : START);
  }

  #endAt(at: number, marker: string): BlockEnd {
    const behind = marker === END ? at + END.length : at;
    if (this.#state === 'broken') {
      this.#addMalformed(this.#body.slice(this.#from, behind), 'it is not a JSON object with "name" and "arguments"');
    } else if (this.#parts.length === 0) {
      this.#addMalformed(this.#body.slice(0, behind), 'there is no call in it');
    }
    return this.#close(behind);
  }

  #close(behind: number): BlockEnd {
    const only = this.#parts.length === 1 ? this.#parts[0] : undefined;
    if (only?.type === 'malformed_tool_call') only.raw = this.#opening + this.#body.slice(0, behind);
    return { parts: this.#parts, rest: this.#body.slice(behind) };
  }

  #blankBefore(at: number): number {
    let from = at;
    while (from > 0 && isBlank(this.#body.charCodeAt(from - 1))) from -= 1;
    return from;
  }

  #addObject(json: string): void {
    this.#state = 'between';
    const call = readCallObject(json);
    if (!call.ok) {
      this.#addMalformed(json + END, call.reason);
      return;
    }
    this.#whole += 1;
    this.#parts.push({ type: 'tool_call', name: call.name, arguments: call.arguments });
  }

  #addMalformed(raw: string, reason: string): void {
    this.#parts.push({ type: 'malformed_tool_call', raw: this.#opening + raw, reason });
  }
}
