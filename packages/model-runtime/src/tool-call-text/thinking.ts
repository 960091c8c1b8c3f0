import { READER_DONE, type Opening, type Section, type ReaderVerdict } from './core/opening.ts';
import { readExactly, readWhile } from './core/reading.ts';

/** Markers of thinking. */
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

const THINKING: readonly Thinking[] = [
  { start: '<think>', end: '</think>', place: 'lead' },
  { start: '[THINK]', end: '[/THINK]', place: 'lead' },
  { start: '<seed:think>', end: '</seed:think>', place: 'lead' },
  { start: '<|START_THINKING|>', end: '<|END_THINKING|>', place: 'anywhere', inside: citationMarkers },
  { start: '<|channel>thought', end: '<channel|>', place: 'anywhere' },
  { start: 'Here are my reasoning steps:', end: '[BEGIN FINAL RESPONSE]', place: 'lead' },
];

const beginnings = THINKING.map(({ start, end, place, inside = [] }): Opening => {
  const section: Section = { kind: 'reasoning', openings: [{ marker: end, read: closeSection }, ...inside] };
  return { marker: start, place, read: () => openSection(section) };
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
