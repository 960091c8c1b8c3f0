import { readArguments } from '../core/arguments.ts';
import { beginsJson, beginsName } from '../core/begins.ts';
import type { Family } from '../core/family.ts';
import { READER_DONE } from '../core/block.ts';
import type { BlockReader } from '../core/opening.ts';
import { readName, readMarker, readUntil, skipBlanks } from '../core/reading.ts';
import { toJsonCall } from '../core/writing.ts';
import { jsonBlock } from '../readers/json-block.ts';
import { OPEN_BRACE } from '../core/codes.ts';

const START = '[TOOL_REQUEST]';
const ENDS = ['[END_TOOL_REQUEST]', '[TOOL_REQUEST_END]'];

/** A variant of models: the name, then its arguments. */
const readNamed: BlockReader = function* (block) {
  const { source } = block;
  yield* skipBlanks(source);
  const name = yield* readName(source);
  if (name === null || (yield* skipBlanks(source)) !== OPEN_BRACE) return { type: 'text', upTo: block.body };
  const read = yield* readArguments(source, { ends: ENDS, starts: [START] });
  if (read.ok) {
    block.call(name, read.arguments);
    yield* skipBlanks(source);
    yield* readMarker(source, ENDS);
    return READER_DONE;
  }
  yield* readUntil(source, ENDS);
  return block.malformed(read.reason, block.start);
};

/** `[TOOL_REQUEST]{"name", "arguments"}[END_TOOL_REQUEST]`: the format LM Studio prompts unknown models to use. */
export const lmStudio: Family = {
  openings: [
    { marker: START, begins: beginsJson, read: jsonBlock({ ends: ENDS, starts: [START] }) },
    { marker: START, begins: beginsName, read: readNamed },
  ],
  write: (calls) => calls.map((call) => `${START}${toJsonCall(call)}[END_TOOL_REQUEST]`).join('\n'),
};
