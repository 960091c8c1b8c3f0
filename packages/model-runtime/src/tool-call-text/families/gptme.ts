import { readArguments } from '../core/arguments.ts';
import type { Family } from '../core/family.ts';
import type { BlockReader } from '../core/opening.ts';
import { isNameCode, readExactly, readName, skipBlanks } from '../core/reading.ts';
import { CLOSE_PAREN, COLON, NEWLINE, OPEN_BRACE } from '../core/codes.ts';

const read: BlockReader = function* (block) {
  const { source, tools } = block;
  const name = yield* readName(source, (code) => isNameCode(code) && code !== COLON);
  let id: string | null = null;
  if (name !== null && name !== '' && (yield* readExactly(source, '('))) {
    id = yield* readName(source, (code) => code !== CLOSE_PAREN && code !== NEWLINE);
    if (!(yield* readExactly(source, ')'))) return { type: 'text', upTo: block.body };
  }
  const isCall = name !== null && name !== '' && tools.offers(name) && (yield* readExactly(source, ':'));
  if (!isCall || (yield* skipBlanks(source)) !== OPEN_BRACE) return { type: 'text', upTo: block.body };

  const read = yield* readArguments(source, { ends: [], starts: [] });
  if (read.ok) return block.call(name, read.arguments, id === '' ? null : id);
  if (read.isCut && tools.has(name)) return block.malformed(read.reason, block.start);
  return { type: 'text', upTo: read.isCut ? source.position : block.nextMarker(block.body) };
};

/** `@tool(id): {json}` at the start of a line: gptme. */
export const gptme: Family = {
  openings: [{ marker: '@', place: 'line', read, weak: true }],
  write: (calls) =>
    calls.map(({ name, arguments: args }, index) => `@${name}(call_${index + 1}): ${JSON.stringify(args)}`).join('\n'),
};
