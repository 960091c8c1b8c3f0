import { describe, expect, it } from 'vitest';
import type { ConversationView, InDoubtAnswer, StoredInterrupt } from '@toolyard/protocol';
import type { Death } from './lives.ts';
import { Lives } from './lives.ts';
import { Person, viewOf } from './person.ts';
import { applied, misspelt, told } from './transcript.ts';

/** What is there when it is all over. */
type Outcome = {
  view: ConversationView;
  answered: StoredInterrupt[];
  counted: number;
  passed: Set<string>;
};

/** Lets a person see a question through on a server that dies at a place and is started again; checks what is always so. */
export async function seenThrough(
  death: Death | null,
  doubt: InDoubtAnswer = { decision: 'failed' },
): Promise<Outcome> {
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

/** A moment at which it is certain what happened. */
export type CertainCase = [when: string, place: string, hit: number, after?: string];
/** A moment between the call and its result. */
export type InDoubtCase = [when: string, place: string, counted: number, after?: string];

/**
 * Stored: that the model asks for the call, and the run parks; the answer; the call's; the model's, and the end. An
 * answer of the model may be stored by itself where what follows it takes its time: what comes behind the call is counted
 * from there.
 */
export const CERTAIN: readonly CertainCase[] = [
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
export const IN_DOUBT: readonly InDoubtCase[] = [
  ['sent', 'run:sent', 0],
  ['answered, before anything is made of it', 'run:returned', 1],
  ['answered, before that is stored', 'run:step', 1, 'run:returned'],
];

/** The moments of {@link CERTAIN} that `npm test` has; `npm run test:long` has all. */
const SHORT = new Set([
  'create-run:written 1',
  'run:created 1',
  'run:streaming 1',
  'run:parked 1',
  'answer:committed 1',
  'run:planned 1',
  'run:stepped 1 after run:returned',
]);

export function isShort([, place, hit, after]: CertainCase): boolean {
  return SHORT.has(`${place} ${hit}${after === undefined ? '' : ` after ${after}`}`);
}

export const STORY = [
  'user: Count, please.',
  'assistant: Let me count. count {"n":1} (tool_calls)',
  'tool: 1 (done)',
  'assistant: I have counted all there was, as you asked me to do. (stop)',
];

/** What the user says about a call in doubt, how often it is then made again, and what the conversation has of it. */
const DECISIONS: [InDoubtAnswer, repeated: number, said: (counted: number) => string][] = [
  [{ decision: 'repeat' }, 1, (counted) => `tool: ${counted} (done)`],
  [
    { decision: 'failed' },
    0,
    () => 'tool: This call was cut off; the person says that it did not take effect. (not_sent)',
  ],
  [{ decision: 'result', text: 'It said 1.' }, 0, () => 'tool: It said 1. (done)'],
];

/** Tests of servers that are killed and started again. */
export function describeKilled(of: {
  certain: readonly CertainCase[];
  inDoubt: readonly [InDoubtCase, decisions: readonly InDoubtAnswer['decision'][]][];
}): void {
  describe.concurrent('a server killed and started again', () => {
    it.each(of.certain)(
      '%s (%s, %i): the same story, the tool ran once, nothing was in doubt',
      async (_when, place, hit, after) => {
        const { view, answered, counted } = await seenThrough({
          place,
          hit,
          ...(after === undefined ? {} : { after }),
        });
        expect(told(view.page.messages)).toEqual(STORY);
        expect(counted).toBe(1);
        expect(kinds(answered)).toEqual(['approval']);
      },
    );

    for (const [[when, place, before, behind], decisions] of of.inDoubt) {
      describe(`after the call was ${when} (${place})`, () => {
        const cases = DECISIONS.filter(([{ decision }]) => decisions.includes(decision));
        it.each(cases)('it is asked about, and %o is what becomes of it', async (doubt, repeated, said) => {
          const death = { place, hit: 1, ...(behind === undefined ? {} : { after: behind }) };
          const { view, answered, counted } = await seenThrough(death, doubt);
          expect(kinds(answered)).toEqual(['approval', 'in_doubt']);
          expect(answered[1]?.answer).toEqual(doubt);
          expect(counted).toBe(before + repeated);
          expect(told(view.page.messages)).toEqual(STORY.with(2, said(before + repeated)));
        });
      });
    }
  });
}
