import { beginsJson, beginsName } from '../core/begins.ts';
import type { Family } from '../core/family.ts';
import type { BlockReader } from '../core/opening.ts';
import { readExactly } from '../core/reading.ts';
import { toPythonCall } from '../core/writing.ts';
import { jsonBlock } from '../readers/json-block.ts';
import { pythonBlock } from '../readers/python-calls.ts';

const START = '<|tool_call_start|>';
const END = '<|tool_call_end|>';
const OLMO_END = '</function_calls>';
const list = pythonBlock({ start: START, ends: [END], otherwise: 'malformed' });

/** Some models repeat the body of a block after it, with a second end marker. */
const read: BlockReader = function* (block) {
  const verdict = yield* list(block);
  const { source, body } = block;
  const written = source.text(body, source.position);
  if (written.endsWith(END)) yield* readExactly(source, written);
  return verdict;
};

/** `<|tool_call_start|>[f(a='x')]<|tool_call_end|>`, or JSON there: LFM2. */
export const lfm2: Family = {
  openings: [{ marker: START, read }],
  write: (calls) => `${START}[${calls.map(toPythonCall).join(', ')}]${END}`,
};

/** `<function_calls>f(a="x")`, one call per line, then `</function_calls>`: OLMo 3. */
export const olmo3: Family = {
  openings: [
    {
      marker: '<function_calls>',
      begins: beginsName,
      read: pythonBlock({ start: '<function_calls>', ends: [OLMO_END], otherwise: 'text' }),
    },
    { marker: '<function_calls>', begins: beginsJson, read: jsonBlock({ ends: [OLMO_END] }) },
  ],
  write: (calls) => `<function_calls>${calls.map(toPythonCall).join('\n')}${OLMO_END}`,
};
