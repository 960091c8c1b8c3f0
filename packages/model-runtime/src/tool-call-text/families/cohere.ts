import type { Family } from '../core/family.ts';
import type { Opening, Section, BlockReader } from '../core/opening.ts';
import { readExactly, skipBlanks } from '../core/reading.ts';
import { jsonBlock } from '../readers/json-block.ts';
import { citationMarkers, openSection, closeSection } from '../thinking.ts';
import type { WrittenCall } from '../types.ts';

const END = '<|END_ACTION|>';
const FENCE_END = '```';

/** A framed answer with marked citations. */
const framed = (end: string): Section => ({
  kind: 'text',
  openings: [{ marker: end, read: closeSection }, ...citationMarkers],
});
const response = framed('<|END_RESPONSE|>');
const text = framed('<|END_TEXT|>');

const frames: readonly Opening[] = [
  { marker: '<|START_RESPONSE|>', read: () => openSection(response) },
  { marker: '<|START_TEXT|>', read: () => openSection(text) },
];

function toAction({ name, arguments: args }: WrittenCall, index: number): string {
  return JSON.stringify({ tool_call_id: String(index), tool_name: name, parameters: args });
}

/** `<|START_ACTION|>[{"tool_name", "parameters"}]<|END_ACTION|>`, answers in frames: Command R7B, A, North. */
export const commandR7b: Family = {
  openings: [{ marker: '<|START_ACTION|>', read: jsonBlock({ ends: [END], otherwise: 'malformed' }) }, ...frames],
  write: (calls) => `<|START_ACTION|>[\n    ${calls.map(toAction).join(',\n    ')}\n]${END}`,
};

const json = jsonBlock({ ends: [FENCE_END] });

const readFence: BlockReader = function* (block) {
  const { source } = block;
  yield* skipBlanks(source);
  if (!(yield* readExactly(source, '```json'))) return { type: 'text', upTo: block.body };
  return yield* json(block);
};

/** `Action:` and a JSON fence: Command R+. */
export const commandRPlus: Family = {
  openings: [{ marker: 'Action:', place: 'line', read: readFence }],
  write: (calls) => `Action:\n\`\`\`json\n[${calls.map(toAction).join(', ')}]\n\`\`\``,
};
