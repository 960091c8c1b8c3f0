import { beginsName, beginsJson, beginsTag } from '../core/begins.ts';
import type { Family } from '../core/family.ts';
import { READER_DONE } from '../core/block.ts';
import type { BlockReader } from '../core/opening.ts';
import { readExactly, readMarker, skipBlanks, type TextReading } from '../core/reading.ts';
import type { Source } from '../core/source.ts';
import { eachArgument, toTagText } from '../core/writing.ts';
import { jsonBlock } from '../readers/json-block.ts';
import { keyValueCall, type KeyValueStyle } from '../readers/key-value-calls.ts';
import type { WrittenCall } from '../types.ts';

const glm: KeyValueStyle = {
  end: '</tool_call>',
  keyStart: '<arg_key>',
  keyEnd: '</arg_key>',
  valueStart: '<arg_value>',
  valueEnd: '</arg_value>',
};
const longcatStyle: KeyValueStyle = {
  end: '</longcat_tool_call>',
  keyStart: '<longcat_arg_key>',
  keyEnd: '</longcat_arg_key>',
  valueStart: '<longcat_arg_value>',
  valueEnd: '</longcat_arg_value>',
};

function writePairs({ arguments: args }: WrittenCall, style: KeyValueStyle, newline: string): string {
  return eachArgument(
    args,
    (key, value) =>
      `${style.keyStart}${key}${style.keyEnd}${newline}${style.valueStart}${toTagText(value)}${style.valueEnd}${newline}`,
  );
}

/** `<tool_call>NAME`, then `<arg_key>` and `<arg_value>` in turn: GLM 4.5 and 4.6. */
export const glm45: Family = {
  openings: [{ marker: '<tool_call>', begins: beginsName, read: keyValueCall(glm) }],
  write: (calls) =>
    calls.map((call) => `<tool_call>${call.name}\n${writePairs(call, glm, '\n')}</tool_call>`).join('\n'),
};

/** The same without newlines: GLM 4.7 and 5. */
export const glm47: Family = {
  openings: glm45.openings,
  write: (calls) => calls.map((call) => `<tool_call>${call.name}${writePairs(call, glm, '')}</tool_call>`).join(''),
};

/** JSON in `<longcat_tool_call>`, or keys and values: LongCat. */
export const longcat: Family = {
  openings: [
    { marker: '<longcat_tool_call>', begins: beginsJson, read: jsonBlock({ ends: ['</longcat_tool_call>'] }) },
    { marker: '<longcat_tool_call>', begins: beginsName, read: keyValueCall(longcatStyle) },
  ],
  write: (calls) =>
    calls
      .map((call) => `<longcat_tool_call>${call.name}\n${writePairs(call, longcatStyle, '\n')}</longcat_tool_call>`)
      .join('\n'),
};

const hunyuanCall = keyValueCall({ ...glm, separator: '<tool_sep>' });
const CALLS_END = '</tool_calls>';

const readHunyuan: BlockReader = function* (block) {
  const { source } = block;
  let afterLast = block.body;
  for (;;) {
    yield* skipBlanks(source);
    if (block.found === 0 && (yield* holdsOthers(source))) return READER_DONE;
    const marker = yield* readMarker(source, ['<tool_call>', CALLS_END]);
    if (marker === CALLS_END) return block.finish();
    const verdict = marker === null ? null : yield* hunyuanCall(block);
    if (verdict?.type !== 'done') {
      if (block.found === 0) return { type: 'text', upTo: block.body };
      source.seek(afterLast);
      return READER_DONE;
    }
    afterLast = source.position;
  }
};

/** Some models put calls of another family into this wrapper: the wrapper is dropped and the calls are parsed. */
function* holdsOthers(source: Source): TextReading<boolean> {
  const from = source.position;
  let holds = yield* readExactly(source, '<invoke name=');
  if (!holds && (yield* readExactly(source, '<tool_call>'))) {
    const code = yield* skipBlanks(source);
    holds = beginsJson(code) || beginsTag(code);
  }
  source.seek(from);
  return holds;
}

/** The same inside `<tool_calls>`, with `<tool_sep>` after the name: Hunyuan V3. */
export const hunyuanV3: Family = {
  openings: [{ marker: '<tool_calls>', begins: beginsTag, read: readHunyuan }],
  write: (calls) => {
    const all = calls.map((call) => `<tool_call>${call.name}<tool_sep>\n${writePairs(call, glm, '\n')}</tool_call>\n`);
    return `<tool_calls>\n${all.join('')}${CALLS_END}`;
  },
};
