import type { Family } from '../core/family.ts';
import type { Opening } from '../core/opening.ts';
import { toJsonCall, toJsonList } from '../core/writing.ts';
import { bareJson } from '../readers/bare-json.ts';
import { codeSpan, fence } from '../readers/fence.ts';

const tildes: Opening = { marker: '~~~', place: 'indented', read: fence('never'), weak: true };
const NAMELESS = /["\d[\]{-]/;

/** `{"name": …, "arguments": {…}}` within text, or a list of them. Only offered tools are called. */
export const bareCalls: Family = {
  openings: [
    { marker: '{', read: bareJson, weak: true },
    // Tried after every other reader of a bracket.
    { marker: '[', begins: (code) => NAMELESS.test(String.fromCharCode(code)), read: bareJson, weak: true },
  ],
  write: (calls) => (calls.length === 1 && calls[0] !== undefined ? toJsonCall(calls[0]) : toJsonList(calls)),
};

/** A list of calls in a JSON fence: xLAM, and Qwen 2.5-Coder when it omits its tags. */
export const fencedCalls: Family = {
  openings: [{ marker: '```', place: 'indented', read: fence('always'), weak: true }, tildes],
  write: (calls) => `\`\`\`json\n${toJsonList(calls)}\n\`\`\``,
};

/** The same, only in a fence at the end of the answer: any other is an example. */
export const lastFencedCalls: Family = {
  openings: [{ marker: '```', place: 'indented', read: fence('last'), weak: true }, tildes],
  write: fencedCalls.write,
};

/** Code in fences and in lines: calls in it are examples. */
export const code: readonly Opening[] = [
  { marker: '```', place: 'indented', read: fence('never'), weak: true },
  tildes,
  { marker: '`', read: codeSpan, weak: true },
];
