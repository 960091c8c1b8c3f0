import { beforeAll, describe, expect, it } from 'vitest';
import type { ConversationView, InDoubtAnswer, StoredInterrupt } from '@toolyard/protocol';
import type { Death } from './support/lives.ts';
import { Lives } from './support/lives.ts';
import { Person, viewOf } from './support/person.ts';
import { applied, misspelt, told } from './support/transcript.ts';

/** What is there when it is all over. */
type Outcome = {
  view: ConversationView;
  answered: StoredInterrupt[];
  counted: number;
  passed: Set<string>;
};

/** Lets a person see a question through on a server that dies at a place and is started again; checks what is always so. */
async function seenThrough(death: Death | null, doubt: InDoubtAnswer = { decision: 'failed' }): Promise<Outcome> {
  await using lives = await Lives.of([1]);
  const person = new Person(() => doubt);
  if (death) {
    const first = await lives.start(death);
    await person.goOn(first.url);
    expect(await first.exited()).toBe('SIGKILL');
  }
  const last = await lives.startHere();
  expect(await person.goOn(last.url)).toBe('over');

  const view = await viewOf(last.url);
  const answered = await person.answered(last.url);
  expect(view).toMatchObject({ activeRun: null, interrupts: [] });
  expect(view.page.abandoned.every(({ finishReason }) => finishReason === 'abandoned')).toBe(true);
  // Each event came once and in order, and whoever applies them has what is stored.
  expect(person.events.map(({ seq }) => seq)).toEqual(person.events.map((_event, index) => index + 1));
  expect(misspelt(person.events)).toEqual([]);
  expect(applied(person.events)).toEqual(view.page.messages);
  expect(lives.faults).toEqual([]);
  await last.end();
  expect(await lives.damage()).toEqual([]);
  return { view, answered, counted: lives.counted, passed: new Set(lives.passed) };
}

const kinds = (answered: readonly StoredInterrupt[]): string[] => answered.map(({ interrupt }) => interrupt.kind);

let unkilled: Outcome;
beforeAll(async () => {
  unkilled = await seenThrough(null);
});

/**
 * Stored: that the model asks for the call, and the run parks; the answer; the call's; the model's, and the end. An
 * answer of the model may be stored by itself where what follows it takes its time: what comes behind the call is counted
 * from there.
 */
const CERTAIN: [when: string, place: string, hit: number, after?: string][] = [
  ['before the question is stored', 'create-run:written', 1],
  ['after it is stored', 'run:created', 1],
  ['in the middle of the first answer', 'run:streaming', 1],
  ['before the first answer is stored and the approval asked for', 'run:step', 1],
  ['after it is asked for', 'run:stepped', 1],
  ['when the run is parked', 'run:parked', 1],
  ['before the approval is stored', 'answer:written', 1],
  ['after it is stored', 'answer:committed', 1],
  ['before the run is resumed', 'run:step', 2],
  ['after it is resumed', 'run:stepped', 2],
  ['when the call is planned, before it is stored as sent', 'run:planned', 1],
  ['after the result is stored', 'run:stepped', 1, 'run:returned'],
  ['in the middle of the last answer', 'run:streaming', 1, 'run:returned'],
  ['before the last answer and the end are stored', 'run:step', 2, 'run:returned'],
  ['after they are stored', 'run:stepped', 2, 'run:returned'],
  ['when the run has ended', 'run:finished', 1],
];

/** Between `sent` and the result; `counted`: how often the tool had run when the server died. */
const IN_DOUBT: [when: string, place: string, counted: number, after?: string][] = [
  ['sent', 'run:sent', 0],
  ['answered, before anything is made of it', 'run:returned', 1],
  ['answered, before that is stored', 'run:step', 1, 'run:returned'],
];

describe('an unkilled run', () => {
  it('passes every failpoint there is a kill at', () => {
    expect(told(unkilled.view.page.messages)).toEqual([
      'user: Count, please.',
      'assistant: Let me count. count {"n":1} (tool_calls)',
      'tool: 1 (done)',
      'assistant: I have counted all there was, as you asked me to do. (stop)',
    ]);
    expect(unkilled.counted).toBe(1);
    const places = new Set([...CERTAIN, ...IN_DOUBT].map(([, place]) => place));
    expect([...unkilled.passed].filter((place) => place.startsWith('run:') && !places.has(place))).toEqual([]);
  });
});

describe.concurrent('a server killed and started again', () => {
  it.each(CERTAIN)(
    '%s (%s, %i): the same story, the tool ran once, nothing was in doubt',
    async (_when, place, hit, after) => {
      const { view, answered, counted } = await seenThrough({ place, hit, ...(after === undefined ? {} : { after }) });
      expect(told(view.page.messages)).toEqual(told(unkilled.view.page.messages));
      expect(counted).toBe(1);
      expect(kinds(answered)).toEqual(['approval']);
    },
  );

  describe.each(IN_DOUBT)('after the call was %s (%s)', (_when, place, before, behind) => {
    it.each<[InDoubtAnswer, number, string]>([
      [{ decision: 'repeat' }, before + 1, `tool: ${before + 1} (done)`],
      [
        { decision: 'failed' },
        before,
        'tool: This call was cut off; the person says that it did not take effect. (not_sent)',
      ],
      [{ decision: 'result', text: 'It said 1.' }, before, 'tool: It said 1. (done)'],
    ])('it is asked about, and %o is what becomes of it', async (doubt, after, said) => {
      const death = { place, hit: 1, ...(behind === undefined ? {} : { after: behind }) };
      const { view, answered, counted } = await seenThrough(death, doubt);
      expect(kinds(answered)).toEqual(['approval', 'in_doubt']);
      expect(answered[1]?.answer).toEqual(doubt);
      expect(counted).toBe(after);
      expect(told(view.page.messages)).toEqual(told(unkilled.view.page.messages).with(2, said));
    });
  });
});
