import type { Opening, Section, ReaderVerdict } from './core/opening.ts';
import { hasMore, readExactly, readUntil, readWhile, type TextReading } from './core/reading.ts';
import { READER_DONE, type TextBlock } from './core/block.ts';
import { NO_CHARACTER, type Source } from './core/source.ts';
import { NEWLINE } from './core/codes.ts';

/** Markers of thinking. `lead`: before the answer; and later, if the block is complete and on lines of its own. */
type Thinking = { start: string; end: string; place: 'lead' | 'anywhere'; inside?: readonly Opening[] };

/** Cohere marks citations in its text: `<co>rain</co: 0:[1,2]>`. The markers are removed. */
export const citationMarkers: readonly Opening[] = [
  { marker: '<co>', read: dropMarker },
  {
    marker: '</co:',
    *read({ source, body }) {
      const sources = yield* readWhile(source, isSourceCode, 200);
      if (sources === null || !(yield* readExactly(source, '>'))) return { type: 'text', upTo: body };
      return READER_DONE;
    },
  },
];

/** `0:[1,2],1:[3]` */
function isSourceCode(code: number): boolean {
  return (code >= 48 && code <= 58) || code === 32 || code === 44 || code === 91 || code === 93;
}

/** Names of tags around thinking: most; Gemma and Gemini behind OpenAI-compatible servers; system prompts of fine-tunes. */
const TAGS = [
  ...['think', 'thinking', 'thought', 'thoughts', 'reason', 'reasoning', 'thought_process', 'thinking_process'],
  ...['chain_of_thought', 'scratchpad', 'inner_monologue', 'longcat_think', 'antThinking'],
].flatMap((name) => [...new Set([name, name.charAt(0).toUpperCase() + name.slice(1), name.toUpperCase()])]);

const THINKING: readonly Thinking[] = [
  ...TAGS.map((name): Thinking => ({ start: `<${name}>`, end: `</${name}>`, place: 'lead' })),
  // Kimi-VL, MedGemma.
  { start: '◁think▷', end: '◁/think▷', place: 'lead' },
  { start: '<unused94>thought', end: '<unused95>', place: 'lead' },
  // OpenThinker, Sky-T1.
  { start: '<|begin_of_thought|>', end: '<|end_of_thought|>', place: 'lead' },
  { start: '[THINK]', end: '[/THINK]', place: 'lead' },
  { start: '<seed:think>', end: '</seed:think>', place: 'lead' },
  { start: '<|START_THINKING|>', end: '<|END_THINKING|>', place: 'anywhere', inside: citationMarkers },
  { start: '<|channel>thought', end: '<channel|>', place: 'anywhere' },
  { start: 'Here are my reasoning steps:', end: '[BEGIN FINAL RESPONSE]', place: 'lead' },
];

const sections = THINKING.map((thinking): Thinking & { section: Section } => {
  const { end, inside = [] } = thinking;
  return { ...thinking, section: { kind: 'reasoning', openings: [{ marker: end, read: closeSection }, ...inside] } };
});

const beginnings = sections.map(({ start, place, section }): Opening => ({
  marker: start,
  place,
  read: () => openSection(section),
}));

/** Models that think between calls or steps open a block again, after the first words of the answer. */
const laterBeginnings = sections
  .filter(({ place }) => place === 'lead')
  .map(({ start, end, section }): Opening => ({
    marker: start,
    place: 'line',
    *read(block) {
      return (yield* isClosedLater(block, end)) ? { type: 'enter', section } : { type: 'text', upTo: block.body };
    },
  }));

/** End markers that a text was found not to contain any more: each is searched for to the end only once. */
const missing = new WeakMap<Source, Set<string>>();

/** True if the block is closed and, if `isAlone`, nothing follows its end marker on the line. */
function* isClosedLater({ source, body }: TextBlock, end: string, isAlone = true): TextReading<boolean> {
  if (missing.get(source)?.has(end) === true) return false;
  const stop = yield* readUntil(source, [end]);
  source.examined += source.position - body;
  if (stop === null) missing.set(source, (missing.get(source) ?? new Set()).add(end));
  while (isAlone && stop !== null && (yield* hasMore(source)) && isSpace(source.peek())) source.advance();
  const isWhole = stop !== null && (!isAlone || source.peek() === NO_CHARACTER || source.peek() === NEWLINE);
  source.seek(body);
  return isWhole;
}

function isSpace(code: number): boolean {
  return code === 32 || code === 9 || code === 13;
}

/** Granite announces its thinking in words, which are ordinary ones unless those about the answer follow. */
const IN_WORDS = ['Here is', "Here's", 'Here’s'].map((here) => ({
  start: `${here} my thought process:`,
  end: `${here} my response:`,
}));

const beginningsInWords = IN_WORDS.map(({ start, end }): Opening => {
  const section: Section = { kind: 'reasoning', openings: [{ marker: end, read: closeSection }] };
  return {
    marker: start,
    place: 'lead',
    *read(block) {
      return (yield* isClosedLater(block, end, false))
        ? { type: 'enter', section }
        : { type: 'text', upTo: block.body };
    },
  };
});

/** If the prompt opened the thinking, any of its end markers may follow, and the model may open it again. */
export const promptOpenedThinking: Section = {
  kind: 'reasoning',
  openings: [
    ...THINKING.map(({ end }): Opening => ({ marker: end, read: closeSection })),
    ...beginnings.map((opening): Opening => ({ ...opening, place: 'lead' })),
  ],
};

/** Markers that open thinking; and an end marker at the very start, if the prompt opened it without our knowledge. */
export const thinkingOpenings: readonly Opening[] = [
  ...beginnings,
  ...beginningsInWords,
  ...laterBeginnings,
  ...THINKING.map(({ end }): Opening => ({ marker: end, place: 'lead', read: closeSection })),
];

/** Removes a marker from the text. */
export function* dropMarker(): Generator<void, ReaderVerdict, void> {
  return READER_DONE;
}

/** Ends the current section. */
export function* closeSection(): Generator<void, ReaderVerdict, void> {
  return { type: 'leave' };
}

/** Starts a section. */
export function* openSection(section: Section): Generator<void, ReaderVerdict, void> {
  return { type: 'enter', section };
}
