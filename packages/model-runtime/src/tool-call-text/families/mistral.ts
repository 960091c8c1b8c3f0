import { readArguments } from '../core/arguments.ts';
import type { TextBlock } from '../core/block.ts';
import type { Family } from '../core/family.ts';
import type { ReaderVerdict } from '../core/opening.ts';
import { readExactly, readName, readWhile, skipBlanks, type TextReading } from '../core/reading.ts';
import { toJsonList } from '../core/writing.ts';
import { jsonBlock } from '../readers/json-block.ts';
import { NEWLINE, OPEN_BRACE, OPEN_BRACKET } from '../core/codes.ts';

const MARKER = '[TOOL_CALLS]';
/** Maximum length of text between the marker and the list of calls: some models insert a word. */
const MAX_JUNK = 40;

const list = jsonBlock();

/** `[TOOL_CALLS] [{…}]` before v11, `[TOOL_CALLS]f[ARGS]{…}` since: one marker, both forms. */
function* readCalls(block: TextBlock): TextReading<ReaderVerdict> {
  const { source } = block;
  const code = yield* skipBlanks(source);
  if (code === OPEN_BRACKET || code === OPEN_BRACE) return yield* readList(block);

  const name = yield* readName(source);
  let id: string | null = null;
  if (name !== null && name !== '') {
    if (yield* readExactly(source, '[CALL_ID]')) id = yield* readName(source);
    const hasMark = yield* readExactly(source, '[ARGS]');
    const next = yield* skipBlanks(source);
    if (next === OPEN_BRACE) return yield* readNamed(block, name, id);
    if (hasMark || id !== null) return block.malformed('the call is cut off', block.start);
  }
  return yield* readListBehindJunk(block);
}

function* readList(block: TextBlock): TextReading<ReaderVerdict> {
  const from = block.source.position;
  const verdict = yield* list(block);
  // A bracket after the marker that does not open a list of calls is text.
  return verdict.type === 'text' ? { type: 'text', upTo: Math.max(from, block.body) } : verdict;
}

function* readNamed(block: TextBlock, name: string, id: string | null): TextReading<ReaderVerdict> {
  const read = yield* readArguments(block.source, { ends: [], starts: [MARKER] });
  return read.ok ? block.call(name, read.arguments, id) : block.malformed(read.reason, block.start);
}

function* readListBehindJunk(block: TextBlock): TextReading<ReaderVerdict> {
  const { source } = block;
  source.seek(block.body);
  const junk = yield* readWhile(source, (code) => code !== OPEN_BRACKET && code !== NEWLINE, MAX_JUNK);
  if (junk !== null && (yield* readExactly(source, '[{'))) {
    source.seek(source.position - 1);
    block.say(junk);
    return yield* list(block);
  }
  return { type: 'text', upTo: block.body };
}

/** Mistral 7B v0.3, Nemo, Mixtral: a list. */
export const mistral: Family = {
  openings: [{ marker: MARKER, read: readCalls }],
  write: (calls) => `${MARKER} ${toJsonList(calls)}`,
};

/** Small 3.1 and later, Devstral, Magistral, Ministral 3: one marker per call. */
export const mistralV11: Family = {
  openings: mistral.openings,
  write: (calls) => calls.map(({ name, arguments: args }) => `${MARKER}${name}[ARGS]${JSON.stringify(args)}`).join(''),
};
