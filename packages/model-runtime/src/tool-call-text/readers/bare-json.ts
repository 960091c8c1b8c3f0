import type { JsonValue } from '@toolyard/protocol';
import type { Block } from '../core/block.ts';
import { CALL_KEYS, readCallObject, type CallObject } from '../core/call-object.ts';
import { JsonScanner, readJson } from '../core/json-scanner.ts';
import { parseLenient } from '../core/literal.ts';
import { DONE, type BlockReader } from '../core/opening.ts';
import { isNameCode, more, readWhile, skipBlanks, type Reading } from '../core/reading.ts';
import { NONE, type Source } from '../core/source.ts';
import type { ToolBook } from '../core/tool-book.ts';

type Found = Extract<CallObject, { ok: true }>;

/** `data`: JSON, but no calls. `malformed`: a call of a tool on offer was cut off. */
type BareCalls = Found[] | 'data' | 'broken' | 'cut' | 'malformed';

const NEWLINE = 10;
const DOUBLE_QUOTE = 34;
const SINGLE_QUOTE = 39;
const COMMA = 44;
const SEMICOLON = 59;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const LONGEST_KEY = 20;

/**
 * Reads calls that stand bare in the text: `{"name": …, "arguments": …}`, a list of such objects, or several in a row.
 * They are calls only if they name tools on offer and give arguments. All other JSON is text, and what looks like a
 * call inside it or in a row with it is data.
 */
export const bareJson: BlockReader = function* (block) {
  const { source } = block;
  source.seek(block.start);
  const first = yield* readBareCalls(block);
  if (first === 'data') {
    yield* passRow(block);
    return DONE;
  }
  if (first === 'broken') return { type: 'text', upTo: block.nextMarker(block.body) };
  if (first === 'cut') return { type: 'text', upTo: source.position };
  if (first === 'malformed') {
    block.malformed('the JSON of the call is cut off', block.start);
    return DONE;
  }
  for (let calls: BareCalls = first; typeof calls !== 'string';) {
    for (const call of calls) block.call(call.name, call.arguments, call.id);
    yield* skipStrayClosers(source);

    const behind = source.position;
    const next = yield* skipSeparators(source);
    calls = next === OPEN_BRACE || next === OPEN_BRACKET ? yield* readBareCalls(block) : 'data';
    if (typeof calls === 'string') source.seek(behind);
  }
  return DONE;
};

/**
 * Reads one JSON value as calls. Leaves the cursor in front of it where it is data, and behind it, or where it broke,
 * in all other cases.
 */
export function* readBareCalls(block: Block): Reading<BareCalls> {
  const { source, tools } = block;
  const from = source.position;
  if (!(yield* looksLikeCall(source))) return 'data';
  const json = yield* readJson(source);
  if (json.kind === 'cut') return namesOfferedTool(source.textFrom(from, 300), tools) ? 'malformed' : 'cut';
  if (json.kind === 'broken') return 'broken';
  const parsed = parseLenient(json.text);
  const calls = parsed.ok ? allCalls(parsed.value, tools) : null;
  if (calls !== null) return calls;
  source.seek(from);
  return 'data';
}

function allCalls(value: JsonValue, tools: ToolBook): Found[] | null {
  const objects = Array.isArray(value) ? value : [value];
  const calls = objects.map(readCallObject).filter((call) => call.ok);
  const areCalls = calls.every((call) => call.hasArguments && tools.offers(call.name));
  return calls.length > 0 && calls.length === objects.length && areCalls ? calls : null;
}

/** Looks ahead for an object, or a list of them, whose first key is one of a call's. */
function* looksLikeCall(source: Source): Reading<boolean> {
  const from = source.position;
  const looks = yield* beginsLikeCall(source);
  source.seek(from);
  return looks;
}

function* beginsLikeCall(source: Source): Reading<boolean> {
  if (source.peek() === OPEN_BRACKET) source.advance();
  if ((yield* skipBlanks(source)) !== OPEN_BRACE) return false;
  source.advance();
  const quote = yield* skipBlanks(source);
  if (quote !== DOUBLE_QUOTE && quote !== SINGLE_QUOTE) return false;
  source.advance();
  const key = yield* readWhile(source, isNameCode, LONGEST_KEY);
  return key !== null && source.peek() === quote && CALL_KEYS.has(key);
}

const NAME = /["'](?:tool_|function_)?name["']\s*:\s*["']([^"'\\]+)["']/;

/** A call was meant if what is left of it names a tool on offer. */
function namesOfferedTool(text: string, tools: ToolBook): boolean {
  const name = NAME.exec(text)?.[1];
  return name !== undefined && tools.has(name);
}

/** One closing bracket too many is a slip of the model's, not text. */
function* skipStrayClosers(source: Source): Reading<void> {
  for (;;) {
    if (source.peek() === NONE && !(yield* more(source))) return;
    if (source.peek() !== CLOSE_BRACKET && source.peek() !== CLOSE_BRACE) return;
    source.advance();
  }
}

function* skipSeparators(source: Source): Reading<number> {
  const code = yield* skipBlanks(source);
  if (code !== COMMA && code !== SEMICOLON) return code;
  source.advance();
  return yield* skipBlanks(source);
}

/** Lets JSON through as the text it is, as it comes, with all objects that stand in a row with it. */
function* passRow(block: Block): Reading<void> {
  const { source } = block;
  for (;;) {
    if (source.peek() !== OPEN_BRACE) {
      yield* passJson(block);
      return;
    }
    if (!(yield* passJson(block)) || !(yield* more(source))) return;
    const behind = source.position;
    const next = source.peek() === COMMA ? yield* skipSeparators(source) : source.peek();
    if (next !== OPEN_BRACE) {
      source.seek(behind);
      return;
    }
  }
}

/** False if it is no JSON after all: then text goes on where that shows. */
function* passJson(block: Block): Reading<boolean> {
  const { source } = block;
  const scanner = new JsonScanner();
  for (;;) {
    const code = source.peek();
    if (code === NONE) {
      block.pass();
      if (!(yield* more(source))) return false;
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
