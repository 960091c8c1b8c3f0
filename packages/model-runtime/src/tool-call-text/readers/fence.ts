import { READER_DONE, type TextBlock } from '../core/block.ts';
import type { BlockReader } from '../core/opening.ts';
import { hasMore, peekBehindBlanks, readWhile, skipBlanks, type TextReading } from '../core/reading.ts';
import { NO_CHARACTER } from '../core/source.ts';
import { readBareCalls } from './bare-json.ts';
import { BACKTICK, NEWLINE, OPEN_BRACE, OPEN_BRACKET, SPACE } from '../core/codes.ts';

/**
 * Whether calls in a fence count. Fenced text is usually an example, but some models write calls there: `last` accepts
 * a JSON fence that consists of calls and ends the answer.
 */
export type FencedCalls = 'never' | 'last' | 'always';

/**
 * Reads a Markdown code fence (CommonMark 4.5; with any indentation, since it may be in a list), from after its first
 * three characters.
 */
export function fence(calls: FencedCalls): BlockReader {
  return function* (block) {
    const { source } = block;
    const mark = Number(source.text(block.start, block.start + 1).charCodeAt(0));
    const run = yield* readWhile(source, (code) => code === mark, Infinity);
    const length = 3 + (run?.length ?? 0);
    const info = yield* readWhile(source, (code) => code !== NEWLINE, Infinity);
    if (mark === BACKTICK && info?.includes('`') === true) return { type: 'text', upTo: source.position };
    if (info !== null && calls !== 'never' && info.trim() === 'json') {
      const found = yield* readFencedCalls(block, mark, length, calls);
      if (found) return READER_DONE;
    }
    yield* passFence(block, mark, length);
    return READER_DONE;
  };
}

/** Reads a fence that consists of calls. Otherwise leaves the cursor before its content. */
function* readFencedCalls(
  block: TextBlock,
  mark: number,
  length: number,
  policy: 'last' | 'always',
): TextReading<boolean> {
  const { source } = block;
  const from = source.position;
  const code = yield* skipBlanks(source);
  const found = code === OPEN_BRACE || code === OPEN_BRACKET ? yield* readBareCalls(block) : 'data';
  if (typeof found !== 'string') {
    yield* skipBlanks(source);
    const close = yield* readWhile(source, (next) => next === mark, Infinity);
    const isClosed = close === null ? source.position - from >= length : close.length >= length;
    const counts = isClosed && (policy === 'always' || (yield* peekBehindBlanks(source)) === NO_CHARACTER);
    if (counts) {
      for (const call of found) block.call(call.name, call.arguments, call.id);
      return true;
    }
  }
  source.seek(from);
  return false;
}

/** Streams a fence as text to its end. */
function* passFence(block: TextBlock, mark: number, length: number): TextReading<void> {
  const { source } = block;
  for (;;) {
    if (yield* passLine(block)) return;
    if (source.peek() === NO_CHARACTER && !(yield* hasMore(source))) return;
    if (yield* closes(block, mark, length)) {
      block.pass();
      return;
    }
  }
}

/** Streams the rest of a line; true at the end of the text. */
function* passLine(block: TextBlock): TextReading<boolean> {
  const { source } = block;
  for (;;) {
    if (source.peek() === NO_CHARACTER) {
      block.pass();
      if (!(yield* hasMore(source))) return true;
    }
    const end = source.piece.indexOf('\n', source.at);
    source.examined += (end === -1 ? source.piece.length : end) - source.at;
    source.at = end === -1 ? source.piece.length : end + 1;
    if (end !== -1) {
      block.pass();
      return false;
    }
  }
}

/** True if the line at the cursor closes the fence; the cursor is then at its end. */
function* closes(block: TextBlock, mark: number, length: number): TextReading<boolean> {
  const { source } = block;
  yield* readWhile(source, (code) => code === SPACE, Infinity);
  const from = source.position;
  const run = yield* readWhile(source, (code) => code === mark, Infinity);
  const closing = run?.length ?? source.position - from;
  if (closing < length) return false;
  const rest = yield* readWhile(source, (code) => code !== NEWLINE, Infinity);
  return rest === null || rest.trim() === '';
}

/** First characters of markers. */
const MARKUP = new Set([...'<[{'].map((char) => char.charCodeAt(0)));
/** Maximum length of markup quoted within a line. */
const MAX_SPAN = 400;

/** Reads markup quoted as code within a line, from after its first backtick, as text. */
export const codeSpan: BlockReader = function* ({ source }) {
  const run = yield* readWhile(source, (code) => code === BACKTICK, MAX_SPAN);
  const end = source.position;
  if (run === null || !MARKUP.has(source.peek())) return { type: 'text', upTo: end };
  const length = 1 + run.length;
  while (source.position - end < MAX_SPAN) {
    const code = source.peek();
    if (code === NO_CHARACTER && (yield* hasMore(source))) continue;
    if (code === NO_CHARACTER || code === NEWLINE) break;
    if (code !== BACKTICK) {
      source.advance();
      continue;
    }
    const from = source.position;
    yield* readWhile(source, (next) => next === BACKTICK, MAX_SPAN);
    if (source.position - from === length) return { type: 'text', upTo: source.position };
  }
  return { type: 'text', upTo: end };
};
