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
  /** What was read since the last whole object, or since the opening. */
  #body = '';
  /** Where the object or the broken stretch under way begins in the body. */
  #from = 0;
  /** May be the beginning of a marker. */
  #held = '';
  #scanner = new JsonObjectScanner();
  #whole = 0;
  /** What the first object and its surroundings looked like, while it is the only part. */
  #firstRaw = '';
  readonly #parts: BlockPart[] = [];
  readonly #opening: string;

  constructor(opening: string) {
    this.#opening = opening;
  }

  // Reads the piece, not the body: looking into a string that is still being put together copies all of it.
  push(text: string): BlockEnd | null {
    let input = this.#held + text;
    this.#held = '';
    let at = 0;
    while (at < input.length) {
      const code = input.charCodeAt(at);
      if (this.#state === 'object') {
        const state = this.#scanner.feed(code);
        if (state === 'open') {
          at += 1;
          continue;
        }
        if (state === 'whole') at += 1;
        this.#body += input.slice(0, at);
        input = input.slice(at);
        at = 0;
        if (state === 'whole') {
          this.#addObject();
          continue;
        }
        this.#state = 'broken';
        const end = this.#recover(input);
        if (end !== null) return end;
        continue;
      }
      const match = code === LESS_THAN ? matchMarker(input, at, MARKERS) : null;
      if (match?.kind === 'partial') {
        this.#held = input.slice(at);
        input = input.slice(0, at);
        break;
      }
      if (match?.kind === 'whole') {
        this.#body += input.slice(0, at);
        return this.#endAt(match.marker, [input.slice(at + match.marker.length)]);
      }
      at += this.#outside(code, this.#body.length + at);
    }
    this.#body += input;
    return null;
  }

  end(): BlockEnd {
    const inObject = this.#state === 'object';
    const recovered = inObject ? this.#recover('') : null;
    if (recovered !== null) return recovered;
    const isProse = this.#state === 'broken' && this.#body.charCodeAt(this.#from) !== OPEN_BRACE;
    if (isProse && this.#whole > 0) {
      // Whole calls, no end marker, then something else: the answer went on behind them.
      return { parts: this.#parts, rest: [this.#body.slice(this.#blankBefore(this.#from)) + this.#held] };
    }
    this.#body += this.#held;
    if (inObject) this.#addMalformed('the JSON of the call is cut off');
    else if (this.#state === 'broken') this.#addMalformed('it is not JSON');
    else if (this.#parts.length === 0) this.#addMalformed('the call is cut off');
    return this.#close([]);
  }

  /** Takes a character outside of objects; returns how many of it are done with. */
  #outside(code: number, place: number): 0 | 1 {
    if (this.#state === 'broken') return 1;
    if (code === OPEN_BRACE) {
      this.#state = 'object';
      this.#from = place;
      this.#scanner = new JsonObjectScanner();
      return 0;
    }
    if (!isBlank(code) && !SEPARATORS.has(code)) {
      this.#state = 'broken';
      this.#from = place;
    }
    return 1;
  }

  /** What was taken for a string may have hidden a marker: one quote too few must not swallow the next call. */
  #recover(unread: string): BlockEnd | null {
    const hidden = this.#body.slice(this.#from);
    const end = hidden.indexOf(END);
    const start = hidden.indexOf(START);
    if (end === -1 && start === -1) return null;
    this.#state = 'broken';
    const marker = start === -1 || (end !== -1 && end < start) ? END : START;
    const at = this.#from + (marker === END ? end : start);
    const rest = [this.#body.slice(at + marker.length), unread];
    this.#body = this.#body.slice(0, at);
    return this.#endAt(marker, rest);
  }

  /** The body ends where `marker` stands; the start marker of the next block ends this one as well. */
  #endAt(marker: string, behind: readonly string[]): BlockEnd {
    if (marker === END) this.#body += END;
    if (this.#state === 'broken') this.#addMalformed('it is not a JSON object with "name" and "arguments"');
    else if (this.#parts.length === 0) this.#addMalformed('there is no call in it');
    return this.#close(marker === START ? [START, ...behind] : behind);
  }

  #close(rest: readonly string[]): BlockEnd {
    const only = this.#parts.length === 1 ? this.#parts[0] : undefined;
    if (only?.type === 'malformed_tool_call') only.raw = this.#opening + this.#firstRaw + this.#body;
    return { parts: this.#parts, rest };
  }

  #blankBefore(at: number): number {
    let from = at;
    while (from > 0 && isBlank(this.#body.charCodeAt(from - 1))) from -= 1;
    return from;
  }

  #addObject(): void {
    this.#state = 'between';
    const json = this.#body.slice(this.#from);
    const call = readCallObject(json);
    if (call.ok) {
      this.#whole += 1;
      this.#parts.push({ type: 'tool_call', name: call.name, arguments: call.arguments });
    } else {
      this.#parts.push({ type: 'malformed_tool_call', raw: this.#opening + json + END, reason: call.reason });
    }
    if (this.#parts.length === 1) this.#firstRaw = this.#body;
    this.#body = '';
    this.#from = 0;
  }

  #addMalformed(reason: string): void {
    this.#parts.push({ type: 'malformed_tool_call', raw: this.#opening + this.#body.slice(this.#from), reason });
  }
}
