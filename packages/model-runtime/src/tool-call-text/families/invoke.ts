import type { JsonValue } from '@toolyard/protocol';
import { beginsJson, beginsTag } from '../core/begins.ts';
import type { Family } from '../core/family.ts';
import type { Opening } from '../core/opening.ts';
import { eachArgument, toTagText, toXmlText } from '../core/writing.ts';
import { jsonBlock } from '../readers/json-block.ts';
import { tagCalls, type TagStyle } from '../readers/tag-calls.ts';
import type { WrittenCall } from '../types.ts';

/** The tags of `<invoke name="f"><parameter name="k">v</parameter></invoke>`, each with the prefix of the family. */
function invokeStyle(prefix: string, wrapperEnds: readonly string[], more: Partial<TagStyle> = {}): TagStyle {
  const tagPattern = (tag: string) => new RegExp(`^<${prefix}${tag}\\s[^>]*?name=["']([^"'>]*)["'][^>]*>$`);
  return {
    call: tagPattern('invoke'),
    callStart: `<${prefix}invoke`,
    callEnd: `</${prefix}invoke>`,
    parameter: tagPattern('parameter'),
    parameterStart: `<${prefix}parameter`,
    parameterEnd: `</${prefix}parameter>`,
    wrapperEnds,
    ...more,
  };
}

type WriteOptions = {
  prefix?: string;
  /** Each argument states whether it is a string. */
  statesStrings?: true;
  toText?: (value: JsonValue) => string;
};

function writeInvoke({ name, arguments: args }: WrittenCall, options: WriteOptions): string {
  const { prefix = '', statesStrings = false, toText = toTagText } = options;
  const lines = eachArgument(args, (key, value) => {
    const attribute = statesStrings ? ` string="${typeof value === 'string'}"` : '';
    return `<${prefix}parameter name="${key}"${attribute}>${toText(value)}</${prefix}parameter>\n`;
  });
  return `<${prefix}invoke name="${name}">\n${lines}</${prefix}invoke>`;
}

function wrapped(start: string, style: TagStyle): Opening {
  return { marker: start, begins: beginsTag, read: tagCalls(style) };
}

function writeWrapped(start: string, end: string, options: WriteOptions = {}): Family['write'] {
  return (calls) => `${start}\n${calls.map((call) => writeInvoke(call, options)).join('\n')}\n${end}`;
}

const xml = invokeStyle('', ['</function_calls>', '</minimax:tool_call>'], { xml: true });
const bareInvoke: Opening = { marker: '<invoke name=', read: tagCalls(xml, 'from_marker') };

/** Inside `<function_calls>`, or bare: models that imitate Claude. */
export const anthropicXml: Family = {
  openings: [wrapped('<function_calls>', xml), bareInvoke],
  write: writeWrapped('<function_calls>', '</function_calls>', { toText: toXmlText }),
};

/** Inside `<minimax:tool_call>`: MiniMax M2. */
export const minimaxM2: Family = {
  openings: [wrapped('<minimax:tool_call>', xml), bareInvoke],
  write: writeWrapped('<minimax:tool_call>', '</minimax:tool_call>', { toText: toXmlText }),
};

const DOTS_END = '</dots_function_call>';

/** Inside `<dots_function_call>`, or JSON there: dots. */
export const dots: Family = {
  openings: [
    wrapped('<dots_function_call>', invokeStyle('', [DOTS_END])),
    { marker: '<dots_function_call>', begins: beginsJson, read: jsonBlock({ ends: [DOTS_END] }) },
  ],
  write: writeWrapped('<dots_function_call>', DOTS_END),
};

const DSML = '｜DSML｜';
const dsml = invokeStyle(DSML, [`</${DSML}function_calls>`, `</${DSML}tool_calls>`], {
  stringAttribute: /\sstring=["'](true|false)["']/,
});
const dsmlOpenings: readonly Opening[] = [
  wrapped(`<${DSML}function_calls>`, dsml),
  wrapped(`<${DSML}tool_calls>`, dsml),
  { marker: `<${DSML}invoke`, read: tagCalls(dsml, 'from_marker') },
];

/** The tags after a token of their own; each argument states whether it is a string: DeepSeek V3.2. */
export const deepseekV32: Family = {
  openings: dsmlOpenings,
  write: writeWrapped(`<${DSML}function_calls>`, `</${DSML}function_calls>`, { prefix: DSML, statesStrings: true }),
};

/** The same, wrapped in `tool_calls`: DeepSeek V4. */
export const deepseekV4: Family = {
  openings: dsmlOpenings,
  write: writeWrapped(`<${DSML}tool_calls>`, `</${DSML}tool_calls>`, { prefix: DSML, statesStrings: true }),
};

const STEP_CALLS_END = '<｜tool_calls_end｜>';
const STEP_CALL_END = '<｜tool_call_end｜>';
const step = invokeStyle('steptml:', [STEP_CALLS_END]);
const [stepCallsBegin, stepCallBegin] = ['<｜tool_calls_begin｜>', '<｜tool_call_begin｜>function<｜tool_sep｜>'];

/** Each call framed by its own tokens: Step 3. */
export const step3: Family = {
  openings: [wrapped(stepCallsBegin, { ...step, between: [stepCallBegin, STEP_CALL_END] })],
  write: (calls) => {
    const all = calls.map((call) => `${stepCallBegin}${writeInvoke(call, { prefix: 'steptml:' })}${STEP_CALL_END}`);
    return `${stepCallsBegin}\n${all.join('\n')}\n${STEP_CALLS_END}`;
  },
};
