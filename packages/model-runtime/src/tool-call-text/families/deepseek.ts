import { readArguments } from '../core/arguments.ts';
import type { TextBlock } from '../core/block.ts';
import type { Family } from '../core/family.ts';
import { readExactly, readName, readMarker, skipBlanks, type TextReading } from '../core/reading.ts';
import { LESS_THAN, NEWLINE, OPEN_BRACE } from '../core/codes.ts';
import { framedCalls } from '../readers/framed-calls.ts';

/** The tokens contain full-width bars; an old template had ASCII bars. */
const BARS = ['｜', '|'];
const token = (name: string): string[] => BARS.map((bar) => `<${bar}tool▁${name}${bar}>`);
const CALLS_BEGIN = token('calls▁begin');
const CALLS_END = token('calls▁end');
const CALL_BEGIN = token('call▁begin');
const CALL_END = token('call▁end');
const SEPARATOR = token('sep');

const readCalls = framedCalls({ callsEnd: CALLS_END, callBegin: CALL_BEGIN, callEnd: CALL_END }, readCall);

/** Reads one call, from after its first token; returns an error or null. */
function* readCall(block: TextBlock): TextReading<string | null> {
  const { source } = block;
  const header = yield* readName(source, (code) => code !== LESS_THAN);
  if (header === null || (yield* readMarker(source, SEPARATOR)) === null) return 'the call is cut off';
  let name = header.trim();
  if ((yield* skipBlanks(source)) !== OPEN_BRACE) {
    // The older form: the word just read is the type of call, followed by the name on a line of its own and a fence.
    if (name !== 'function') return `it is a "${name.slice(0, 80)}", not a function`;
    name = (yield* readName(source, (code) => code !== NEWLINE && code !== LESS_THAN))?.trim() ?? '';
    yield* skipBlanks(source);
    yield* readMarker(source, ['```json', '```']);
    yield* skipBlanks(source);
  }
  if (name === '') return 'the call has no name';
  const read = yield* readArguments(source, { ends: [...CALL_END, ...CALLS_END], starts: CALL_BEGIN });
  if (!read.ok) return read.reason;
  block.call(name, read.arguments);

  yield* skipBlanks(source);
  yield* readExactly(source, '```');
  yield* skipBlanks(source);
  yield* readMarker(source, CALL_END);
  return null;
}

const openings = [...CALLS_BEGIN, ...CALL_BEGIN].map((marker) => ({ marker, read: readCalls }));
const [callsBegin, callsEnd] = ['<｜tool▁calls▁begin｜>', '<｜tool▁calls▁end｜>'];
const [callBegin, callEnd] = ['<｜tool▁call▁begin｜>', '<｜tool▁call▁end｜>'];

/** The type, the name, then the arguments in a JSON fence: DeepSeek V3, R1, Cogito. */
export const deepseekV3: Family = {
  openings,
  write: (calls) => {
    const all = calls.map(
      ({ name, arguments: args }) =>
        `${callBegin}function<｜tool▁sep｜>${name}\n\`\`\`json\n${JSON.stringify(args)}\n\`\`\`${callEnd}`,
    );
    return `${callsBegin}${all.join('\n')}${callsEnd}`;
  },
};

/** The name, then the arguments: DeepSeek V3.1. */
export const deepseekV31: Family = {
  openings,
  write: (calls) => {
    const all = calls.map(
      ({ name, arguments: args }) => `${callBegin}${name}<｜tool▁sep｜>${JSON.stringify(args)}${callEnd}`,
    );
    return `${callsBegin}${all.join('')}${callsEnd}`;
  },
};
