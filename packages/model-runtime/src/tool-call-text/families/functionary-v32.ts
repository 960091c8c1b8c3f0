import { readArguments } from '../core/arguments.ts';
import { READER_DONE, type TextBlock } from '../core/block.ts';
import type { Family } from '../core/family.ts';
import type { ReaderVerdict } from '../core/opening.ts';
import { readExactly, readName, skipBlanks, type TextReading } from '../core/reading.ts';
import { OPEN_BRACE } from '../core/codes.ts';

const MARKER = '>>>';
/** The recipient of text that is not a call. */
const EVERYONE = 'all';

/** Reads `f`, a newline and JSON; or `all`, a newline and text. */
function* readMessage(block: TextBlock): TextReading<ReaderVerdict> {
  const { source, tools } = block;
  const name = yield* readName(source);
  if (name === null || name === '' || !(yield* readExactly(source, '\n'))) return { type: 'text', upTo: block.body };
  if (name === EVERYONE) return READER_DONE;

  if (!tools.offers(name) || (yield* skipBlanks(source)) !== OPEN_BRACE) return { type: 'text', upTo: block.body };
  const read = yield* readArguments(source, { ends: [], starts: [`\n${MARKER}`] });
  return read.ok ? block.call(name, read.arguments) : block.malformed(read.reason, block.start);
}

/** `>>>f` and JSON on the next line; the prompt ends in `>>>`, so the answer starts with the name. */
export const functionaryV32: Family = {
  openings: [{ marker: MARKER, read: readMessage }],
  first: readMessage,
  write: (calls) => calls.map(({ name, arguments: args }) => `${name}\n${JSON.stringify(args)}`).join(`\n${MARKER}`),
};

/** The same among other families: only calls are separated from text. */
export const functionaryV32Calls: Family = {
  openings: [
    { marker: MARKER, place: 'line', read: readMessage },
    { marker: MARKER, place: 'after_call', read: readMessage },
  ],
  write: (calls) => `${MARKER}${functionaryV32.write(calls)}`,
};
