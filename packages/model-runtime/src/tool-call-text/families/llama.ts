import { beginsJson, beginsName } from '../core/begins.ts';
import type { Family } from '../core/family.ts';
import { toPythonCall } from '../core/writing.ts';
import { jsonBlock } from '../readers/json-block.ts';
import { bareCallList, pythonBlock } from '../readers/python-calls.ts';
import { bareJson } from '../readers/bare-json.ts';

/** `{"name": …, "parameters": {…}}`, bare or after `<|python_tag|>`, several separated by `;`: Llama 3.1 to 3.3. */
export const llama3: Family = {
  openings: [
    { marker: '<|python_tag|>', begins: beginsJson, read: jsonBlock() },
    { marker: '{', read: bareJson, weak: true },
  ],
  write: (calls) =>
    calls
      .map(({ name, arguments: args }) => `{"name": ${JSON.stringify(name)}, "parameters": ${JSON.stringify(args)}}`)
      .join('; '),
};

/** `[f(a='x', b=1), g()]`: Llama 3.2, ToolACE, some Gemma; LFM2.5 if its markers were stripped. */
export const pythonic: Family = {
  openings: [{ marker: '[', begins: beginsName, read: bareCallList, weak: true }],
  write: (calls) => `[${calls.map(toPythonCall).join(', ')}]`,
};

/** The same inside `<|python_start|>…<|python_end|>`, often without the end marker: Llama 4. */
export const llama4: Family = {
  openings: [
    {
      marker: '<|python_start|>',
      read: pythonBlock({ start: '<|python_start|>', ends: ['<|python_end|>'], otherwise: 'text' }),
    },
    ...pythonic.openings,
  ],
  write: (calls) => `<|python_start|>${pythonic.write(calls)}<|python_end|>`,
};
