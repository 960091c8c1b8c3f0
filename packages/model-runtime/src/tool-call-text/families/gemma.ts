import type { JsonValue } from '@toolyard/protocol';
import type { Family } from '../core/family.ts';
import type { Opening } from '../core/opening.ts';
import { bracesCalls } from '../readers/braces-calls.ts';
import { dropMarker } from '../thinking.ts';

type Style = { start: string; end: string; delimiter: string };

function family({ start, end, delimiter }: Style, strayEnds: readonly string[]): Family {
  const write = (value: JsonValue): string => {
    if (typeof value === 'string') return `${delimiter}${value}${delimiter}`;
    if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
    if (typeof value !== 'object' || value === null) return String(value);
    return `{${Object.entries(value)
      .map(([key, item]) => `${key}:${write(item)}`)
      .join(',')}}`;
  };
  return {
    openings: [
      { marker: start, read: bracesCalls({ delimiter, end }) },
      ...strayEnds.map((marker): Opening => ({ marker, place: 'after_call', read: dropMarker })),
    ],
    write: (calls) => calls.map(({ name, arguments: args }) => `${start}call:${name}${write(args)}${end}`).join(''),
  };
}

/** `<|tool_call>call:f{k:<|"|>text<|"|>,n:3}<tool_call|>`: Gemma 4. */
export const gemma4: Family = family({ start: '<|tool_call>', end: '<tool_call|>', delimiter: '<|"|>' }, [
  '<tool_call|>',
  '<|tool_response>',
]);

/** `<start_function_call>call:f{k:<escape>text<escape>}<end_function_call>`: FunctionGemma. */
export const functionGemma: Family = family(
  { start: '<start_function_call>', end: '<end_function_call>', delimiter: '<escape>' },
  ['<end_function_call>', '<start_function_response>'],
);
