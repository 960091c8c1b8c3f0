import type { JsonValue } from '@toolyard/protocol';
import { READER_DONE, type TextBlock } from '../core/block.ts';
import { rewindToHiddenEnd } from '../core/arguments.ts';
import { readBalanced } from '../core/balance.ts';
import { readCallObject, type CallObject } from '../core/call-object.ts';
import { readJson } from '../core/json-scanner.ts';
import { parseLenient } from '../core/literal.ts';
import type { BlockReader, ReaderVerdict } from '../core/opening.ts';
import { isBlank, hasMore, readMarker, readUntil, type TextReading } from '../core/reading.ts';
import { NO_CHARACTER } from '../core/source.ts';
import { CLOSE_BRACKET, DOUBLE_QUOTE, OPEN_BRACE, OPEN_BRACKET } from '../core/codes.ts';

/** How a family wraps its JSON calls: one object, several, or a list. */
export type JsonBlockOptions = {
  /** Markers that close the block. If absent, the block ends after its list or last object. */
  ends?: readonly string[];
  /** Markers that open the next block and thereby close this one. */
  starts?: readonly string[];
  /** Treatment of a block without JSON after its marker. Default: text. */
  otherwise?: 'text' | 'malformed';
  /** The marker includes the bracket of the list. */
  listed?: true;
  /** A malformed object ends with its line. */
  onePerLine?: true;
  toCall?: (value: JsonValue) => CallObject;
};

const SEPARATORS = new Set([...'[],;}'].map((char) => char.charCodeAt(0)));

/** Reads a block of JSON calls. A malformed call does not affect the others; a truncated call never runs. */
export function jsonBlock(options: JsonBlockOptions = {}): BlockReader {
  const { ends = [], starts = [], otherwise = 'text' } = options;
  const stops = [...ends, ...starts];
  const stopCodes = new Set(stops.map((stop) => stop.charCodeAt(0)));

  return function* (block) {
    const { source } = block;
    let listed = options.listed === true;
    let afterLast = block.body;
    for (;;) {
      const code = source.peek();
      if (code === NO_CHARACTER) {
        if (yield* hasMore(source)) continue;
        return atTextEnd(block, listed || otherwise === 'malformed');
      }
      const at = source.position;
      const stop = stopCodes.has(code) ? yield* readMarker(source, stops) : null;
      if (stop !== null) {
        if (starts.includes(stop)) source.seek(at);
        return block.finish();
      }
      if (isBlank(code) || SEPARATORS.has(code)) {
        source.advance();
        if (code === OPEN_BRACKET) listed = true;
        if (code === CLOSE_BRACKET && ends.length === 0 && listed) return block.finish();
        continue;
      }
      if (code === OPEN_BRACE) {
        yield* readObject(block, stops, options);
        afterLast = source.position;
        continue;
      }
      const isList = listed && code === DOUBLE_QUOTE && ends.length > 0;
      if (block.found === 0 && otherwise === 'text' && !isList) return { type: 'text', upTo: block.body };
      if (block.found > 0 && ends.length === 0) {
        source.seek(afterLast);
        return READER_DONE;
      }
      yield* readJunk(block, options, at, afterLast);
      return READER_DONE;
    }
  };
}

function atTextEnd(block: TextBlock, isCall: boolean): ReaderVerdict {
  if (block.found > 0) return READER_DONE;
  if (!isCall) return { type: 'text', upTo: block.body };
  return block.malformed('the call is cut off', block.start);
}

function* readObject(block: TextBlock, stops: readonly string[], options: JsonBlockOptions): TextReading<void> {
  const { source } = block;
  const { ends = [], starts = [] } = options;
  const from = source.position;
  const json = yield* readJson(source);
  if (json.kind === 'whole') {
    const parsed = parseLenient(json.text);
    const call: CallObject = parsed.ok
      ? (options.toCall ?? readCallObject)(parsed.value)
      : { ok: false, reason: `the JSON of the call is invalid: ${parsed.problem}` };
    if (call.ok) block.call(call.name, call.arguments, call.id);
    else block.malformed(call.reason, from);
    return;
  }
  if (json.kind === 'broken' && !rewindToHiddenEnd(source, from, { ends, starts })) {
    const lineEnds = options.onePerLine === true ? ['\n{'] : [];
    yield* readBalanced(source, json.closers, { stops: [...stops, ...lineEnds] });
    block.malformed('the call is not JSON', from);
    return;
  }
  block.malformed(json.kind === 'cut' ? 'the JSON of the call is cut off' : 'the call is not JSON', from);
}

/**
 * Text that is not a call is malformed in a block that closes; in one that does not, it belongs to the answer after the
 * block.
 */
function* readJunk(block: TextBlock, options: JsonBlockOptions, from: number, afterLast: number): TextReading<void> {
  const { source } = block;
  const { ends = [], starts = [] } = options;
  const stop = yield* readUntil(source, [...ends, ...starts]);
  const closes = stop !== null && ends.includes(stop.marker);
  if (!closes && block.found > 0) source.seek(afterLast);
  else {
    if (stop !== null && !closes) source.seek(stop.at);
    block.malformed('it is not JSON', from);
  }
}
