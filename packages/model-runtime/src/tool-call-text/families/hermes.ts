import { beginsJson } from '../core/begins.ts';
import type { Family } from '../core/family.ts';
import { toJsonCall } from '../core/writing.ts';
import { jsonBlock } from '../readers/json-block.ts';

const START = '<tool_call>';
const END = '</tool_call>';

/**
 * `<tool_call>{"name": …, "arguments": {…}}</tool_call>`: Hermes 2 and 3, Qwen 2.5 and 3, QwQ, Granite 3.1 and 4, MiMo,
 * ERNIE 4.5 and many more. A block may contain several objects, in a list or in sequence.
 */
export const hermes: Family = {
  openings: [
    {
      marker: START,
      begins: beginsJson,
      read: jsonBlock({ ends: [END], starts: [START] }),
      inUnclosedThinking: true,
    },
  ],
  write: (calls) => calls.map((call) => `${START}\n${toJsonCall(call)}\n${END}`).join('\n'),
};
