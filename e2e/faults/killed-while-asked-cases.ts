import { describe, expect, it } from 'vitest';
import { reply } from '@toolyard/testing';
import { kinds, runKilled } from './killed-cases.ts';
import { ASKS_FIRST, STATE } from '../support/asks-first.ts';
import type { Fault } from '../support/server-instances.ts';
import { ServerInstances } from '../support/server-instances.ts';
import { TestUser, readView } from '../support/test-user.ts';
import { applyAll } from '../support/transcript.ts';

const run = async (fault: Fault | null) => {
  const { answered, counted, states } = await runKilled(fault, {
    doubt: { decision: 'repeat' },
    tools: ASKS_FIRST,
    secret: 'opaque',
  });
  return { answered: kinds(answered), counted, states };
};

/** No call is in progress between the elicitation and its answer: nothing is lost, and nothing is in doubt. */
type CertainCase = readonly [when: string, place: string, hit: number];
export const CERTAIN: readonly CertainCase[] = [
  ['when the run is parked with its interrupt', 'run:parked', 2],
  ['before the answer is stored', 'answer:written', 2],
  ['after it is stored', 'answer:committed', 2],
  ['when the call is planned again', 'run:planned', 2],
];

/** Where a server is killed that runs a function tool which asks for a form before it does anything. */
type FunctionCase = readonly [when: string, place: string, hit: number, kinds: string[]];
export const IN_FUNCTION: readonly FunctionCase[] = [
  ['when the run is parked with its interrupt', 'run:parked', 2, ['approval', 'elicitation']],
  ['when the answer is stored', 'answer:committed', 2, ['approval', 'elicitation']],
  ['when the call was sent with the answer', 'run:sent', 2, ['approval', 'elicitation', 'in_doubt']],
];

export function describeKilledWhileAsked(of: {
  certain: readonly CertainCase[];
  inFunction: readonly FunctionCase[];
}): void {
  describe.concurrent('a server killed while an elicitation waits', () => {
    it('without faults, runs the tool once and returns its state byte for byte', async () => {
      const { answered, counted, states } = await run(null);
      expect({ answered, counted, states }).toEqual({
        answered: ['approval', 'elicitation'],
        counted: 1,
        states: [STATE],
      });
    });

    it.each(of.certain)('%s (%s, %i): resumes in another process and runs the tool once', async (_when, place, hit) => {
      const { answered, counted, states } = await run({ place, hit });
      expect({ answered, counted }).toEqual({ answered: ['approval', 'elicitation'], counted: 1 });
      expect(new Set(states)).toEqual(new Set([STATE]));
    });

    it('when the call was sent with the answers: asks about it, and repeats it with them if the user says so', async () => {
      const { answered, counted, states } = await run({ place: 'run:sent', hit: 2 });
      expect({ answered, counted }).toEqual({ answered: ['approval', 'elicitation', 'in_doubt'], counted: 1 });
      expect(new Set(states)).toEqual(new Set([STATE]));
    });
  });

  describe.concurrent('a server killed while a function tool waits for ask()', () => {
    it.each(of.inFunction)('%s (%s, %i): reserves once', async (_when, place, hit, asked) => {
      const script = (messages: readonly { role: string }[]) =>
        messages.some(({ role }) => role === 'tool')
          ? reply.text('Reserved.')
          : reply.toolCalls([{ name: 'reserve', arguments: {} }]);
      await using lives = await ServerInstances.with(script, { reserves: true });
      const user = new TestUser(() => ({ decision: 'repeat' }));
      const first = await lives.start({ place, hit });
      await user.goOn(first.url);
      expect(await first.exited()).toBe('SIGKILL');
      const last = await lives.startHere();
      expect(await user.goOn(last.url)).toBe('over');
      expect(kinds(await user.answered(last.url))).toEqual(asked);
      expect(applyAll(user.events)).toEqual((await readView(last.url)).page.messages);
      expect(lives.reserved).toEqual(['begins', 'begins', 'reserves: accept']);
      expect(lives.faults).toEqual([]);
    });
  });
}
