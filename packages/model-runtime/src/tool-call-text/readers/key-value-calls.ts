import type { JsonObject, JsonValue } from '@toolyard/protocol';
import type { TextBlock } from '../core/block.ts';
import { setOwn } from '../core/literal.ts';
import type { BlockReader, ReaderVerdict } from '../core/opening.ts';
import {
  hasMore,
  isCutOff,
  readExactly,
  readName,
  readMarker,
  readUntil,
  skipBlanks,
  type TextReading,
} from '../core/reading.ts';
import { mayBeJson, typedValue } from '../core/typed-value.ts';
import { readJsonValue } from './tag-calls.ts';

/** How a family writes a call as its name with key-value pairs. */
export type KeyValueStyle = {
  end: string;
  keyStart: string;
  keyEnd: string;
  valueStart: string;
  valueEnd: string;
  /** Between the name and the arguments. */
  separator?: string;
};

/** Reads one call, from its name to its end. */
export function keyValueCall(style: KeyValueStyle): BlockReader {
  return function* (block) {
    const { source } = block;
    yield* skipBlanks(source);
    const name = yield* readName(source);
    if (name === null) {
      const written = source.text(block.body, source.position).trim();
      if (!block.tools.hasBeginning(written)) return { type: 'text', upTo: block.body };
      return block.malformed('the call is cut off', block.start);
    }
    yield* skipBlanks(source);
    if (style.separator !== undefined) yield* readExactly(source, style.separator);
    yield* skipBlanks(source);
    const marker = yield* readMarker(source, [style.keyStart, style.end]);
    if (marker === null) {
      if (name === '' || !(yield* isCutOff(source, [style.keyStart, style.end])))
        return { type: 'text', upTo: block.body };
      return block.cutOff();
    }
    if (marker === style.keyStart) return yield* readPairs(block, style, name);
    // A single word between tags: unless it is an offered tool, the text only mentions it.
    return block.tools.offers(name) ? block.call(name, {}) : { type: 'text', upTo: block.body };
  };
}

/** Reads the pairs, from after the tag of the first key to the end of the call. */
function* readPairs(block: TextBlock, style: KeyValueStyle, name: string): TextReading<ReaderVerdict> {
  const { source, start } = block;
  const args: JsonObject = {};
  let problem: string | null = null;
  for (;;) {
    const keyAt = source.position;
    const keyStop = yield* readUntil(source, [style.keyEnd]);
    if (keyStop === null) return block.malformed('the call is cut off', start);
    const key = source.text(keyAt, keyStop.at).trim();
    yield* skipBlanks(source);
    if (!(yield* readExactly(source, style.valueStart))) return yield* skipMalformed(block, style);
    const value = yield* readValue(block, style, name, key);
    if (value === undefined) return block.malformed('an argument is cut off', start);
    if (Object.hasOwn(args, key)) problem = `the argument "${key}" is given twice`;
    setOwn(args, key, value);

    yield* skipBlanks(source);
    const stop = yield* readMarker(source, [style.keyStart, style.end]);
    if (stop === style.keyStart) continue;
    if (stop === null) return yield* skipMalformed(block, style);
    return problem === null ? block.call(name, args) : block.malformed(problem, start);
  }
}

function* readValue(
  block: TextBlock,
  style: KeyValueStyle,
  name: string,
  key: string,
): TextReading<JsonValue | undefined> {
  const { source, tools } = block;
  if (mayBeJson(tools, name, key)) {
    const json = yield* readJsonValue(block, style.valueEnd);
    if (json !== undefined) return json;
  }
  const from = source.position;
  const stop = yield* readUntil(source, [style.valueEnd]);
  return stop === null ? undefined : typedValue(source.text(from, stop.at), tools, name, key);
}

/** Skips to the end of a malformed call. */
function* skipMalformed(block: TextBlock, style: KeyValueStyle): TextReading<ReaderVerdict> {
  const isCut = !(yield* hasMore(block.source));
  yield* readUntil(block.source, [style.end]);
  return block.malformed(isCut ? 'the call is cut off' : 'there is text between the arguments', block.start);
}
