import { describe, expect, it } from 'vitest';
import type { InDoubtAnswer, StoredInterrupt } from '@toolyard/protocol';
import type { Fault, ServerInstancesOptions } from '../support/server-instances.ts';
import { ServerInstances } from '../support/server-instances.ts';
import { TestUser } from '../support/test-user.ts';
import { transcriptLines } from '../support/transcript.ts';
import type { Outcome } from './run-with-faults.ts';
import { runWithFaults } from './run-with-faults.ts';

type Killed = Pick<Outcome, 'view' | 'answered' | 'passed'> & { counted: number; states: string[] };

/** A run of one call in a server that is killed at a point and started again; checks what must always hold. */
export async function runKilled(
  fault: Fault | null,
  { doubt, secret, ...options }: ServerInstancesOptions & { doubt: InDoubtAnswer; secret?: string },
): Promise<Killed> {
  await using lives = await ServerInstances.of([1], { reportsUsage: true, ...options });
  const user = new TestUser(() => doubt);
  const faults = fault === null ? [] : [fault];
  const { problems, view, answered, passed } = await runWithFaults({
    ...{ lives, user, faults, certain: fault !== null },
    asksInCalls: options.tools !== undefined,
    ...(secret !== undefined && { secret }),
  });
  expect(problems).toEqual([]);
  return { view, answered, passed, counted: lives.counted, states: lives.states };
}

export const kinds = (answered: readonly StoredInterrupt[]): string[] =>
  answered.map(({ interrupt }) => interrupt.kind);

/** A point at which it is certain what happened. */
export type CertainCase = [when: string, place: string, hit: number, after?: string];
/** A point between the call and its result. */
export type InDoubtCase = [when: string, place: string, counted: number, after?: string];

/**
 * Stored: that the model asks for the call, and the run parks; the answer; the call's; the model's, and the end. An
 * answer of the model may be stored by itself where what follows it takes its time: what comes behind the call is counted
 * from there.
 */
export const CERTAIN: readonly CertainCase[] = [
  ['before the user message is stored', 'create-run:written', 1],
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

/** Between `sent` and the result; `counted`: how often the tool had run when the server was killed. */
export const IN_DOUBT: readonly InDoubtCase[] = [
  ['sent', 'run:sent', 0],
  ['answered, before the result is processed', 'run:returned', 1],
  ['answered, before that is stored', 'run:step', 1, 'run:returned'],
];

/**
 * The points of {@link CERTAIN} that `npm test` has; `npm run test:long` has all. Kills at the start of a run and after an
 * answer are tested with triggers and interrupts.
 */
const SHORT = new Set(['run:streaming 1', 'run:planned 1', 'run:stepped 1 after run:returned']);

export function isShort([, place, hit, after]: CertainCase): boolean {
  return SHORT.has(`${place} ${hit}${after === undefined ? '' : ` after ${after}`}`);
}

export const TRANSCRIPT = [
  'user: Count, please.',
  'assistant: Let me count. count {"n":1} (tool_calls)',
  'tool: 1 (done)',
  'assistant: I have counted all there was, as you asked me to do. (stop)',
];

/** The decision about a call in doubt, how often it is then repeated, and its result in the conversation. */
const DECISIONS: [InDoubtAnswer, repeated: number, said: (counted: number) => string][] = [
  [{ decision: 'repeat' }, 1, (counted) => `tool: ${counted} (done)`],
  [
    { decision: 'failed' },
    0,
    () => 'tool: This call was interrupted; the user reports that it did not take effect. (not_sent)',
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
      '%s (%s, %i): resumes with the same transcript and one call, nothing in doubt',
      async (_when, place, hit, after) => {
        const fault = { place, hit, ...(after === undefined ? {} : { after }) };
        const { view, answered, counted } = await runKilled(fault, { doubt: { decision: 'failed' } });
        expect(transcriptLines(view.page.messages)).toEqual(TRANSCRIPT);
        expect(counted).toBe(1);
        expect(kinds(answered)).toEqual(['approval']);
      },
    );

    for (const [[when, place, before, behind], decisions] of of.inDoubt) {
      describe(`after the call was ${when} (${place})`, () => {
        const cases = DECISIONS.filter(([{ decision }]) => decisions.includes(decision));
        it.each(cases)('asks about it, and does what %o says', async (doubt, repeated, said) => {
          const fault = { place, hit: 1, ...(behind === undefined ? {} : { after: behind }) };
          const { view, answered, counted } = await runKilled(fault, { doubt });
          expect(kinds(answered)).toEqual(['approval', 'in_doubt']);
          expect(answered[1]?.answer).toEqual(doubt);
          expect(counted).toBe(before + repeated);
          expect(transcriptLines(view.page.messages)).toEqual(TRANSCRIPT.with(2, said(before + repeated)));
        });
      });
    }
  });
}
