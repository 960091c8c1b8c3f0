import { readArguments } from '../core/arguments.ts';
import type { TextBlock } from '../core/block.ts';
import type { Family } from '../core/family.ts';
import { READER_DONE, type BlockReader } from '../core/opening.ts';
import {
  isCutOff,
  readExactly,
  readOneOf,
  readUntil,
  readWhile,
  skipBlanks,
  type TextReading,
} from '../core/reading.ts';

const SECTION_BEGIN = '<|tool_calls_section_begin|>';
const SECTION_END = '<|tool_calls_section_end|>';
const CALL_BEGIN = '<|tool_call_begin|>';
const ARGUMENTS_BEGIN = '<|tool_call_argument_begin|>';
const CALL_END = '<|tool_call_end|>';
const STOPS = [CALL_BEGIN, CALL_END, SECTION_END];
const LESS_THAN = 60;
const MAX_ID = 300;

const readCalls: BlockReader = function* (block) {
  const { source } = block;
  if (source.text(block.start, block.body) === CALL_BEGIN) source.seek(block.start);
  let afterLast = block.body;
  for (;;) {
    yield* skipBlanks(source);
    const from = source.position;
    const marker = yield* readOneOf(source, [CALL_BEGIN, SECTION_END]);
    if (marker === null) {
      if (block.found > 0) source.seek(afterLast);
      else if (yield* isCutOff(source, [CALL_BEGIN])) {
        source.seekToEnd();
        block.malformed('the call is cut off', block.start);
      } else return { type: 'text', upTo: block.body };
      return READER_DONE;
    }
    if (marker === SECTION_END) {
      if (block.found === 0) block.malformed('there is no call in it', block.start);
      return READER_DONE;
    }
    const problem = yield* readCall(block);
    if (problem !== null) {
      const stop = yield* readUntil(source, STOPS);
      if (stop !== null) source.seek(stop.at);
      yield* readExactly(source, CALL_END);
      block.malformed(problem, from);
    }
    afterLast = source.position;
  }
};

/** Reads one call, from after its first token; returns an error or null. */
function* readCall(block: TextBlock): TextReading<string | null> {
  const { source, tools } = block;
  const id = (yield* readWhile(source, (code) => code !== LESS_THAN, MAX_ID))?.trim();
  if (id === undefined || !(yield* readExactly(source, ARGUMENTS_BEGIN))) return 'the call is cut off';
  const read = yield* readArguments(source, { ends: [CALL_END, SECTION_END], starts: [CALL_BEGIN] });
  if (!read.ok) return read.reason;
  const args = read.arguments;

  // The namespace of ordinary functions is not part of the name. If there is only a counter, the call is for the one
  // tool whose arguments match.
  const name = /^\d+$/.test(id) ? tools.onlyToolFor(args) : /^(?:functions\.)?(.+):\d+$/s.exec(id)?.[1];
  if (name === undefined || name === null) return `"${id.slice(0, 80)}" does not name a tool`;
  block.call(name, args, id);

  yield* skipBlanks(source);
  yield* readExactly(source, CALL_END);
  return null;
}

/** Calls between tokens, each with its id `functions.NAME:INDEX` and JSON; section and end tokens may be missing. */
export const kimiK2: Family = {
  openings: [SECTION_BEGIN, CALL_BEGIN].map((marker) => ({ marker, read: readCalls, inUnclosedThinking: true })),
  write: (calls) => {
    const all = calls.map(
      ({ name, arguments: args }, index) =>
        `${CALL_BEGIN}functions.${name}:${index}${ARGUMENTS_BEGIN}${JSON.stringify(args)}${CALL_END}`,
    );
    return `${SECTION_BEGIN}${all.join('')}${SECTION_END}`;
  },
};
