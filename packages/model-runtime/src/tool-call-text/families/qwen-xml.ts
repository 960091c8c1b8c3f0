import { beginsTag } from '../core/begins.ts';
import type { Family } from '../core/family.ts';
import { eachArgument, toTagText } from '../core/writing.ts';
import { tagCalls, type TagStyle } from '../readers/tag-calls.ts';
import type { WrittenCall } from '../types.ts';

const style: TagStyle = {
  call: /^<function=([^>]+)>$/,
  callStart: '<function=',
  callEnd: '</function>',
  parameter: /^<parameter=([^>]+)>$/,
  parameterStart: '<parameter=',
  parameterEnd: '</parameter>',
  wrapperEnds: ['</tool_call>', '</seed:tool_call>'],
  trim: 'newlines',
};

/** Lines of `<function=f>` with its arguments. */
function writeFunction({ name, arguments: args }: WrittenCall): string {
  const lines = eachArgument(args, (key, value) => `<parameter=${key}>\n${toTagText(value)}\n</parameter>\n`);
  return `<function=${name}>\n${lines}</function>`;
}

/**
 * `<tool_call><function=f><parameter=k>value</parameter></function></tool_call>`: Qwen3-Coder, Qwen 3.5, Nemotron 3
 * Nano, Step 3.5. The wrapper may be missing; instead of arguments there may be a JSON object (Functionary 3.1).
 */
export const qwenXml: Family = {
  openings: [
    { marker: '<tool_call>', begins: beginsTag, read: tagCalls(style), inUnclosedThinking: true },
    { marker: style.callStart, read: tagCalls(style, 'from_marker'), inUnclosedThinking: true },
  ],
  write: (calls) => calls.map((call) => `<tool_call>\n${writeFunction(call)}\n</tool_call>`).join('\n'),
};

/** The same inside `<seed:tool_call>`: Seed-OSS. */
export const seedOss: Family = {
  openings: [{ marker: '<seed:tool_call>', begins: beginsTag, read: tagCalls(style) }],
  write: (calls) => calls.map((call) => `<seed:tool_call>\n${writeFunction(call)}\n</seed:tool_call>`).join('\n'),
};

/** `<function=f>{json}</function>`: Functionary 3.1, Llama 3.1 with custom tools. */
export const functionaryV31: Family = {
  openings: [{ marker: style.callStart, read: tagCalls(style, 'from_marker') }],
  write: (calls) =>
    calls.map(({ name, arguments: args }) => `<function=${name}>${JSON.stringify(args)}</function>`).join(''),
};
