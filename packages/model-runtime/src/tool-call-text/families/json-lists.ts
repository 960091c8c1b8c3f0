import { beginsJson } from '../core/begins.ts';
import { readKeyedCall } from '../core/call-object.ts';
import type { Family } from '../core/family.ts';
import type { Opening } from '../core/opening.ts';
import { toJsonCall, toJsonList } from '../core/writing.ts';
import { jsonBlock } from '../readers/json-block.ts';

const toolCalls: Opening = {
  marker: '<tool_calls>',
  begins: beginsJson,
  read: jsonBlock({ ends: ['</tool_calls>'], onePerLine: true }),
};

/** `<tool_calls>[{…}, {…}]</tool_calls>`: Jamba, Hunyuan-A13B, Apriel. */
export const toolCallsList: Family = {
  openings: [toolCalls],
  write: (calls) => `<tool_calls>${toJsonList(calls)}</tool_calls>`,
};

/** The same with an object on each line: MiniMax M1. */
export const minimaxM1: Family = {
  openings: [toolCalls],
  write: (calls) => `<tool_calls>\n${calls.map(toJsonCall).join('\n')}\n</tool_calls>`,
};

/** `<TOOLCALL>[{…}]</TOOLCALL>`: Nemotron Nano v2. */
export const nemotronNanoV2: Family = {
  openings: [{ marker: '<TOOLCALL>', begins: beginsJson, read: jsonBlock({ ends: ['</TOOLCALL>'] }) }],
  write: (calls) => `<TOOLCALL>${toJsonList(calls)}</TOOLCALL>`,
};

/** `functools[{…}, {…}]`: Phi-4-mini, FireFunction v2. */
export const functools: Family = {
  openings: [{ marker: 'functools[', place: 'word', begins: beginsJson, read: jsonBlock({ listed: true }) }],
  write: (calls) => `functools${toJsonList(calls)}`,
};

/** `<|tool_call|> [{…}]`, without an end marker: Granite 3.0; 3.1 uses the tag of hermes. */
export const granite: Family = {
  openings: [{ marker: '<|tool_call|>', begins: beginsJson, read: jsonBlock() }],
  write: (calls) => `<|tool_call|> ${toJsonList(calls)}`,
};

/** `<function_call> {…}` for each call, one per line: Granite 20B FC. */
export const granite20bFc: Family = {
  openings: [{ marker: '<function_call>', begins: beginsJson, read: jsonBlock() }],
  write: (calls) => calls.map((call) => `<function_call> ${toJsonCall(call)}`).join('\n'),
};

/** `<|tools_prefix|>[{"f": {…}}]<|tools_suffix|>`, with the name as key: Apertus. */
export const apertus: Family = {
  openings: [
    {
      marker: '<|tools_prefix|>',
      read: jsonBlock({ ends: ['<|tools_suffix|>'], otherwise: 'malformed', toCall: readKeyedCall }),
    },
  ],
  write: (calls) => {
    const all = calls.map(({ name, arguments: args }) => JSON.stringify({ [name]: args }));
    return `<|tools_prefix|>[${all.join(', ')}]<|tools_suffix|>`;
  },
};
