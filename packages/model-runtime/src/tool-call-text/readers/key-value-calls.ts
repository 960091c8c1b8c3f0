import type { JsonObject, JsonValue } from '@toolyard/protocol';
import type { TextBlock } from '../core/block.ts';
import { setOwn } from '../core/literal.ts';
import { READER_DONE, type BlockReader } from '../core/opening.ts';
import {
  isCutOff,
  isNameCode,
  hasMore,
  readExactly,
  readOneOf,
  readUntil,
  readWhile,
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

const MAX_NAME = 200;

/** Reads one call, from its name to its end. */
export function keyValueCall(style: KeyValueStyle): BlockReader {
  return function* (block) {
    const { source } = block;
    yield* skipBlanks(source);
    const name = yield* readWhile(source, isNameCode, MAX_NAME);
    if (name === null) {
      const written = source.text(block.body, source.position).trim();
      if (!block.tools.hasBeginning(written)) return { type: 'text', upTo: block.body };
      block.malformed('the call is cut off', block.start);
      return READER_DONE;
    }
    yield* skipBlanks(source);
    if (style.separator !== undefined) yield* readExactly(source, style.separator);
    yield* skipBlanks(source);
    const marker = yield* readOneOf(source, [style.keyStart, style.end]);
    if (marker === null) {
      if (name === '' || !(yield* isCutOff(source, [style.keyStart, style.end])))
        return { type: 'text', upTo: block.body };
      source.seekToEnd();
      block.malformed('the call is cut off', block.start);
      return READER_DONE;
    }
    if (marker === style.end) {
      // A single word between tags: unless it is an offered tool, the text only mentions it.
      if (!block.tools.offers(name)) return { type: 'text', upTo: block.body };
      block.call(name, {});
    } else yield* readPairs(block, style, name);
    return READER_DONE;
  };
}

/** Reads the pairs, from after the tag of the first key to the end of the call. */
function* readPairs(block: TextBlock, style: KeyValueStyle, name: string): TextReading<void> {
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
    const stop = yield* readOneOf(source, [style.keyStart, style.end]);
    if (stop === style.keyStart) continue;
    if (stop === null) return yield* skipMalformed(block, style);
    if (problem === null) block.call(name, args);
    else block.malformed(problem, start);
    return;
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
function* skipMalformed(block: TextBlock, style: KeyValueStyle): TextReading<void> {
  const isCut = !(yield* hasMore(block.source));
  yield* readUntil(block.source, [style.end]);
  block.malformed(isCut ? 'the call is cut off' : 'there is text between the arguments', block.start);
}
