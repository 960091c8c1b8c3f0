import { readArguments } from '../core/arguments.ts';
import type { TextBlock } from '../core/block.ts';
import type { Family } from '../core/family.ts';
import { readExactly, readWhile, skipBlanks, type TextReading } from '../core/reading.ts';
import { LESS_THAN } from '../core/codes.ts';
import { framedCalls } from '../readers/framed-calls.ts';

const SECTION_BEGIN = '<|tool_calls_section_begin|>';
const SECTION_END = '<|tool_calls_section_end|>';
const CALL_BEGIN = '<|tool_call_begin|>';
const ARGUMENTS_BEGIN = '<|tool_call_argument_begin|>';
const CALL_END = '<|tool_call_end|>';
const MAX_ID = 300;

const readCalls = framedCalls({ callsEnd: [SECTION_END], callBegin: [CALL_BEGIN], callEnd: [CALL_END] }, readCall);

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
