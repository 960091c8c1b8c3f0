import type { Family } from '../core/family.ts';
import { toJsonCall, toJsonList } from '../core/writing.ts';
import { bareJson } from '../readers/bare-json.ts';
import { fence } from '../readers/fence.ts';

const NAMELESS = /["\d[\]{-]/;

/** `{"name": …, "arguments": {…}}` in the middle of text, or a list of such. Only tools on offer are calls there. */
export const bareCalls: Family = {
  openings: [
    { marker: '{', read: bareJson, weak: true },
    // What follows no other reading of a bracket.
    { marker: '[', begins: (code) => NAMELESS.test(String.fromCharCode(code)), read: bareJson, weak: true },
  ],
  write: (calls) => (calls.length === 1 && calls[0] !== undefined ? toJsonCall(calls[0]) : toJsonList(calls)),
};

/** A list of calls in a JSON fence: xLAM, and Qwen 2.5-Coder when it forgets its tags. */
export const fencedCalls: Family = {
  openings: [
    { marker: '```', place: 'line', read: fence('always'), weak: true },
    { marker: '~~~', place: 'line', read: fence('never'), weak: true },
  ],
  write: (calls) => `\`\`\`json\n${toJsonList(calls)}\n\`\`\``,
};

/** Code fences, in which calls are examples; a JSON fence that ends the answer and is all calls is none. */
export const fences: Family = {
  openings: [
    { marker: '```', place: 'line', read: fence('last'), weak: true },
    { marker: '~~~', place: 'line', read: fence('never'), weak: true },
  ],
  write: () => '',
};
