import type { JsonValue } from '@toolyard/protocol';
import { readBalanced } from '../core/balance.ts';
import type { TextBlock } from '../core/block.ts';
import { CALL_KEYS, CALL_TYPES, IDLE_KEYS, NAME_KEYS, readCallObject, type CallObject } from '../core/call-object.ts';
import { JsonScanner, readJson } from '../core/json-scanner.ts';
import { parseLenient } from '../core/literal.ts';
import { READER_DONE, type BlockReader } from '../core/opening.ts';
import { hasMore, readWhile, skipBlanks, type TextReading } from '../core/reading.ts';
import { NO_CHARACTER, type Source } from '../core/source.ts';
import type { OfferedTools } from '../core/offered-tools.ts';

type Found = Extract<CallObject, { ok: true }>;

/**
 * `data`: JSON, but no calls. `text`: no JSON, what was read of it is text. `cut`, `broken`: a call of a tool on offer
 * was meant, but it is not whole.
 */
type BareCalls = Found[] | 'data' | 'text' | 'cut' | 'broken';

const NEWLINE = 10;
const DOUBLE_QUOTE = 34;
const SINGLE_QUOTE = 39;
const COMMA = 44;
const COLON = 58;
const SEMICOLON = 59;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const MAX_NAME = 200;
/** How far into a call its name is looked for. */
const NAME_WITHIN = 300;

/**
 * Reads calls that stand bare in the text: `{"name": …, "arguments": …}`, a list of such objects, or several in a row.
 * They are calls only if they name tools on offer and give arguments. All other JSON is text, and what looks like a
 * call inside it or in a row with it is data.
 */
export const bareJson: BlockReader = function* (block) {
  const { source } = block;
  source.seek(block.start);
  const first = yield* readBareCalls(block);
  switch (first) {
    case 'data':
      yield* passRow(block);
      return READER_DONE;
    case 'text':
      return { type: 'text', upTo: source.position };
    case 'cut':
    case 'broken':
      block.malformed(first === 'cut' ? 'the JSON of the call is cut off' : 'the call is not JSON', block.start);
      return READER_DONE;
  }
  for (let calls: BareCalls = first; typeof calls !== 'string';) {
    for (const call of calls) block.call(call.name, call.arguments, call.id);
    yield* skipStrayClosers(source);

    const behind = source.position;
    const next = yield* skipSeparators(source);
    calls = next === OPEN_BRACE || next === OPEN_BRACKET ? yield* readBareCalls(block) : 'data';
    if (typeof calls === 'string') source.seek(behind);
  }
  return READER_DONE;
};

/** Reads one JSON value as calls. Leaves the cursor in front of it where it is data, otherwise behind what was read. */
export function* readBareCalls(block: TextBlock): TextReading<BareCalls> {
  const { source, tools } = block;
  const from = source.position;
  if (!(yield* looksLikeCall(source, tools))) return 'data';
  const json = yield* readJson(source);
  if (json.kind !== 'whole') {
    const isMeant = namesOfferedTool(source.textFrom(from, NAME_WITHIN), tools);
    if (json.kind === 'broken') yield* skipBroken(block, from, isMeant ? json.closers : []);
    return isMeant ? json.kind : 'text';
  }
  const parsed = parseLenient(json.text);
  const calls = parsed.ok ? allCalls(parsed.value, tools) : null;
  if (calls !== null) return calls;
  source.seek(from);
  return 'data';
}

function allCalls(value: JsonValue, tools: OfferedTools): Found[] | null {
  const objects = Array.isArray(value) ? value : [value];
  const calls = objects.map(readCallObject).filter((call) => call.ok);
  const areCalls = calls.every((call) => call.hasArguments && tools.offers(call.name));
  return calls.length > 0 && calls.length === objects.length && areCalls ? calls : null;
}

/** Goes behind a call that is no JSON: nothing that stands in it, in its strings above all, is read as calls. */
function* skipBroken(block: TextBlock, from: number, closers: number[]): TextReading<void> {
  const { source } = block;
  const broken = source.position;
  const next = block.nextMarker(from + 1);
  if (next < broken) source.seek(next);
  else yield* readBalanced(source, closers);
}

/** Looks ahead for an object, or a list of them, that begins as a call does and names no tool that is not on offer. */
function* looksLikeCall(source: Source, tools: OfferedTools): TextReading<boolean> {
  const from = source.position;
  const looks = yield* beginsLikeCall(source, tools);
  source.seek(from);
  return looks;
}

function* beginsLikeCall(source: Source, tools: OfferedTools): TextReading<boolean> {
  if (source.peek() === OPEN_BRACKET) source.advance();
  if ((yield* skipBlanks(source)) !== OPEN_BRACE) return false;
  // What says nothing yet may stand before what does: an id, a type.
  for (let keys = 0; keys < CALL_KEYS.size; keys += 1) {
    source.advance();
    const key = yield* readShortString(source);
    if (key === null || !CALL_KEYS.has(key) || (yield* skipBlanks(source)) !== COLON) return false;
    source.advance();
    const code = yield* skipBlanks(source);
    if (!IDLE_KEYS.has(key) && !NAME_KEYS.has(key)) {
      return code === OPEN_BRACE || code === DOUBLE_QUOTE || code === SINGLE_QUOTE;
    }
    const value = yield* readShortString(source);
    if (NAME_KEYS.has(key)) return value !== null && tools.offers(value);
    if (value === null || (key === 'type' && !CALL_TYPES.has(value))) return false;
    if ((yield* skipBlanks(source)) !== COMMA) return false;
  }
  return false;
}

/** A string of no great length without escapes, or null. */
function* readShortString(source: Source): TextReading<string | null> {
  const quote = yield* skipBlanks(source);
  if (quote !== DOUBLE_QUOTE && quote !== SINGLE_QUOTE) return null;
  source.advance();
  const text = yield* readWhile(source, (code) => code !== quote && code !== BACKSLASH && code !== NEWLINE, MAX_NAME);
  if (text === null || source.peek() !== quote) return null;
  source.advance();
  return text;
}

const NAME = /["'](?:tool_|function_)?name["']\s*:\s*["']([^"'\\]+)["']/;

/** A call was meant if what is left of it names a tool on offer. */
function namesOfferedTool(text: string, tools: OfferedTools): boolean {
  const name = NAME.exec(text)?.[1];
  return name !== undefined && tools.has(name);
}

/** One closing bracket too many is a slip of the model's, not text. */
function* skipStrayClosers(source: Source): TextReading<void> {
  for (;;) {
    if (source.peek() === NO_CHARACTER && !(yield* hasMore(source))) return;
    if (source.peek() !== CLOSE_BRACKET && source.peek() !== CLOSE_BRACE) return;
    source.advance();
  }
}

function* skipSeparators(source: Source): TextReading<number> {
  const code = yield* skipBlanks(source);
  if (code !== COMMA && code !== SEMICOLON) return code;
  source.advance();
  return yield* skipBlanks(source);
}

/** Lets JSON through as the text it is, as it comes, with all objects that stand in a row with it. */
function* passRow(block: TextBlock): TextReading<void> {
  const { source } = block;
  for (;;) {
    if (source.peek() !== OPEN_BRACE) {
      yield* passJson(block);
      return;
    }
    if (!(yield* passJson(block)) || !(yield* hasMore(source))) return;
    const behind = source.position;
    const next = source.peek() === COMMA ? yield* skipSeparators(source) : source.peek();
    if (next !== OPEN_BRACE) {
      source.seek(behind);
      return;
    }
  }
}

/** False if it is no JSON after all: then text goes on where that shows. */
function* passJson(block: TextBlock): TextReading<boolean> {
  const { source } = block;
  const scanner = new JsonScanner();
  for (;;) {
    const code = source.peek();
    if (code === NO_CHARACTER) {
      block.pass();
      if (!(yield* hasMore(source))) return false;
      continue;
    }
    // No string of JSON goes over a line: it was a quote in prose.
    const state = scanner.inString && code === NEWLINE ? 'broken' : scanner.feed(code);
    if (state === 'broken') {
      block.pass();
      return false;
    }
    source.advance();
    if (state === 'whole') {
      block.pass();
      return true;
    }
  }
}
