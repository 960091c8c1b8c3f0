import { beginsJson } from '../core/begins.ts';
import type { Family } from '../core/family.ts';
import type { BlockReader } from '../core/opening.ts';
import { readExactly, skipBlanks } from '../core/reading.ts';
import { toJsonCall } from '../core/writing.ts';
import { jsonBlock } from '../readers/json-block.ts';

const SEPARATOR = '<|message_sep|>';
const ROLE_SEPARATOR = '<|role_sep|>';
const json = jsonBlock({ otherwise: 'malformed' });

const read: BlockReader = function* (block) {
  const { source } = block;
  yield* skipBlanks(source);
  if (yield* readExactly(source, 'function call')) {
    yield* skipBlanks(source);
    if (yield* readExactly(source, ROLE_SEPARATOR)) return yield* json(block);
  }
  return { type: 'text', upTo: block.body };
};

/** A message of the role `function call`; since 3.1 `<|function_call|>`. Both contain JSON: GigaChat 3. */
export const gigachat3: Family = {
  openings: [
    { marker: SEPARATOR, read },
    { marker: '<|function_call|>', begins: beginsJson, read: jsonBlock() },
  ],
  write: (calls) => calls.map((call) => `<|function_call|>${toJsonCall(call)}`).join('\n'),
};
