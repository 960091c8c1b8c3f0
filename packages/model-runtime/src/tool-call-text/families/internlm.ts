import type { Family } from '../core/family.ts';
import type { BlockReader } from '../core/opening.ts';
import { readExactly, skipBlanks } from '../core/reading.ts';
import { jsonBlock } from '../readers/json-block.ts';

const END = '<|action_end|>';
const json = jsonBlock({ ends: [END], otherwise: 'malformed' });

const read: BlockReader = function* (block) {
  yield* skipBlanks(block.source);
  if (yield* readExactly(block.source, '<|plugin|>')) return yield* json(block);
  return { type: 'text', upTo: block.body };
};

/** `<|action_start|><|plugin|>{"name", "parameters"}<|action_end|>`: InternLM 2 and later. */
export const internlm: Family = {
  openings: [{ marker: '<|action_start|>', read }],
  write: (calls) =>
    calls
      .map(
        ({ name, arguments: args }) =>
          `<|action_start|><|plugin|>\n${JSON.stringify({ name, parameters: args })}${END}`,
      )
      .join('\n'),
};
