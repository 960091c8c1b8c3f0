import type { JsonValue } from '@toolyard/protocol';
import { readBalanced } from '../core/balance.ts';
import { READER_DONE, type TextBlock } from '../core/block.ts';
import { CALL_KEYS, CALL_TYPES, IDLE_KEYS, NAME_KEYS, readCallObject, type CallObject } from '../core/call-object.ts';
import { JsonScanner, readJson } from '../core/json-scanner.ts';
import { parseLenient } from '../core/literal.ts';
import type { BlockReader } from '../core/opening.ts';
import { hasMore, readName, skipBlanks, type TextReading } from '../core/reading.ts';
import { NO_CHARACTER, type Source } from '../core/source.ts';
import type { OfferedTools } from '../core/offered-tools.ts';
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  DOUBLE_QUOTE,
  NEWLINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  SEMICOLON,
  SINGLE_QUOTE,
} from '../core/codes.ts';

type FoundCall = Extract<CallObject, { ok: true }>;

/**
 * `data`: JSON without calls. `text`: not JSON; what was read is text. `cut`, `broken`: an incomplete or invalid call
 * of an offered tool.
 */
type BareCalls = FoundCall[] | 'data' | 'text' | 'cut' | 'broken';

/** Maximum distance from the start of a call to its name, in characters. */
const MAX_NAME_DISTANCE = 300;

/**
 * Reads bare calls in the text: `{"name": …, "arguments": …}`, a list of such objects, or several in sequence. They
 * count only if they name offered tools and have arguments. Other JSON is text, and call-like objects inside or next to
 * it are data.
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
      return block.malformed(first === 'cut' ? 'the JSON of the call is cut off' : 'the call is not JSON', block.start);
  }
  for (let calls: BareCalls = first; typeof calls !== 'string';) {
    for (const call of calls) block.call(call.name, call.arguments, call.id);
    yield* skipStrayClosers(source);

    const end = source.position;
    const next = yield* skipSeparators(source);
    calls = next === OPEN_BRACE || next === OPEN_BRACKET ? yield* readBareCalls(block) : 'data';
    if (typeof calls === 'string') source.seek(end);
  }
  return READER_DONE;
};

/** Reads one JSON value as calls. Leaves the cursor before it if it is data, otherwise after it. */
export function* readBareCalls(block: TextBlock): TextReading<BareCalls> {
  const { source, tools } = block;
  const from = source.position;
  if (!(yield* looksLikeCall(source, tools))) return 'data';
  const json = yield* readJson(source);
  if (json.kind !== 'whole') {
    const isOfferedCall = namesOfferedTool(source.textFrom(from, MAX_NAME_DISTANCE), tools);
    if (json.kind === 'broken') yield* skipBroken(block, from, isOfferedCall ? json.closers : []);
    return isOfferedCall ? json.kind : 'text';
  }
  const parsed = parseLenient(json.text);
  const calls = parsed.ok ? allCalls(parsed.value, tools) : null;
  if (calls !== null) return calls;
  source.seek(from);
  return 'data';
}

function allCalls(value: JsonValue, tools: OfferedTools): FoundCall[] | null {
  const objects = Array.isArray(value) ? value : [value];
  const calls = objects.map(readCallObject).filter((call) => call.ok);
  const areCalls = calls.every((call) => call.hasArguments && tools.offers(call.name));
  return calls.length > 0 && calls.length === objects.length && areCalls ? calls : null;
}

/** Skips a call with invalid JSON, so that nothing inside it, strings above all, is parsed as calls. */
function* skipBroken(block: TextBlock, from: number, closers: number[]): TextReading<void> {
  const { source } = block;
  const broken = source.position;
  const next = block.nextMarker(from + 1);
  if (next < broken) source.seek(next);
  else yield* readBalanced(source, closers);
}

/** Looks ahead for an object, or a list of objects, that starts like a call and does not name an unknown tool. */
function* looksLikeCall(source: Source, tools: OfferedTools): TextReading<boolean> {
  const from = source.position;
  const isLikely = yield* beginsLikeCall(source, tools);
  source.seek(from);
  return isLikely;
}

function* beginsLikeCall(source: Source, tools: OfferedTools): TextReading<boolean> {
  if (source.peek() === OPEN_BRACKET) source.advance();
  if ((yield* skipBlanks(source)) !== OPEN_BRACE) return false;
  // Ambiguous keys, such as an id or a type, may precede the decisive one.
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

/** A short string without escapes, or null. */
function* readShortString(source: Source): TextReading<string | null> {
  const quote = yield* skipBlanks(source);
  if (quote !== DOUBLE_QUOTE && quote !== SINGLE_QUOTE) return null;
  source.advance();
  const text = yield* readName(source, (code) => code !== quote && code !== BACKSLASH && code !== NEWLINE);
  if (text === null || source.peek() !== quote) return null;
  source.advance();
  return text;
}

const NAME = /["'](?:tool_|function_)?name["']\s*:\s*["']([^"'\\]+)["']/;

/** Whether the rest of a truncated call names an offered tool. */
function namesOfferedTool(text: string, tools: OfferedTools): boolean {
  const name = NAME.exec(text)?.[1];
  return name !== undefined && tools.has(name);
}

/** Skips one surplus closing bracket, a common mistake of models. */
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

/** Streams JSON as text, including all objects that follow it in sequence. */
function* passRow(block: TextBlock): TextReading<void> {
  const { source } = block;
  for (;;) {
    if (source.peek() !== OPEN_BRACE) {
      yield* passJson(block);
      return;
    }
    if (!(yield* passJson(block)) || !(yield* hasMore(source))) return;
    const end = source.position;
    const next = source.peek() === COMMA ? yield* skipSeparators(source) : source.peek();
    if (next !== OPEN_BRACE) {
      source.seek(end);
      return;
    }
  }
}

/** False if it turns out not to be JSON: text continues from there. */
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
    // JSON strings do not span lines: it was a quotation mark in prose.
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
