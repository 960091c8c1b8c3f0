import { readArguments } from '../core/arguments.ts';
import type { Family } from '../core/family.ts';
import { READER_DONE, type BlockReader } from '../core/opening.ts';
import { isNameCode, readExactly, readWhile, skipBlanks } from '../core/reading.ts';

const COLON = 58;
const CLOSE_PAREN = 41;
const OPEN_BRACE = 123;
const NEWLINE = 10;
const MAX_NAME = 200;

const read: BlockReader = function* (block) {
  const { source, tools } = block;
  const name = yield* readWhile(source, (code) => isNameCode(code) && code !== COLON, MAX_NAME);
  let id: string | null = null;
  if (name !== null && name !== '' && (yield* readExactly(source, '('))) {
    id = yield* readWhile(source, (code) => code !== CLOSE_PAREN && code !== NEWLINE, MAX_NAME);
    if (!(yield* readExactly(source, ')'))) return { type: 'text', upTo: block.body };
  }
  const isCall = name !== null && name !== '' && tools.offers(name) && (yield* readExactly(source, ':'));
  if (!isCall || (yield* skipBlanks(source)) !== OPEN_BRACE) return { type: 'text', upTo: block.body };

  const read = yield* readArguments(source, { ends: [], starts: [] });
  if (read.ok) block.call(name, read.arguments, id === '' ? null : id);
  else if (read.isCut && tools.has(name)) block.malformed(read.reason, block.start);
  else return { type: 'text', upTo: read.isCut ? source.position : block.nextMarker(block.body) };
  return READER_DONE;
};

/** `@tool(id): {json}` at the start of a line: gptme. */
export const gptme: Family = {
  openings: [{ marker: '@', place: 'line', read, weak: true }],
  write: (calls) =>
    calls.map(({ name, arguments: args }, index) => `@${name}(call_${index + 1}): ${JSON.stringify(args)}`).join('\n'),
};
