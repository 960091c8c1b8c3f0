import type { Family } from '../core/family.ts';
import type { BlockReader, Section } from '../core/opening.ts';
import { readName, readMarker, skipBlanks } from '../core/reading.ts';
import { jsonBlock } from '../readers/json-block.ts';
import { openSection, closeSection, dropMarker } from '../thinking.ts';

const MESSAGE = '<|message_model|>';
const TEXT = '<|content_text|>';
const CALL = '<|content_invoke_tool_json|>';
const END = '<|end_message|>';

const answer: Section = { kind: 'text', openings: [{ marker: END, read: closeSection }] };
const json = jsonBlock({ ends: [END], otherwise: 'malformed' });

const readMessage: BlockReader = function* (block) {
  const { source } = block;
  yield* skipBlanks(source);
  yield* readName(source);
  const content = yield* readMarker(source, [TEXT, CALL]);
  if (content === TEXT) return { type: 'enter', section: answer };
  return content === CALL ? yield* json(block) : { type: 'text', upTo: block.body };
};

/** Framed messages of text and of calls: Inkling. */
export const inkling: Family = {
  openings: [
    { marker: MESSAGE, read: readMessage },
    { marker: TEXT, read: () => openSection(answer) },
    { marker: CALL, read: json },
    { marker: '<|content_model_end_sampling|>', read: dropMarker },
  ],
  write: (calls) =>
    calls
      .map(({ name, arguments: args }) => `${MESSAGE}${name}${CALL}${JSON.stringify({ name, args })}${END}`)
      .join(''),
};
