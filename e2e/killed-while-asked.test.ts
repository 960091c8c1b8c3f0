import { describe, expect, it } from 'vitest';
import type { InDoubtAnswer, StoredInterrupt } from '@toolyard/protocol';
import { reply } from '@toolyard/testing';
import { ASKS_FIRST, STATE } from './support/asks-first.ts';
import type { Death } from './support/lives.ts';
import { Lives } from './support/lives.ts';
import { Person, viewOf } from './support/person.ts';
import { applied, misspelt } from './support/transcript.ts';

async function seenThrough(death: Death | null, doubt: InDoubtAnswer = { decision: 'repeat' }) {
  await using lives = await Lives.of([1], { tools: ASKS_FIRST });
  const person = new Person(() => doubt);
  if (death) {
    const first = await lives.start(death);
    await person.goOn(first.url);
    expect(await first.exited()).toBe('SIGKILL');
    expect(lives.holds('opaque')).toBe(false);
  }
  const last = await lives.startHere();
  expect(await person.goOn(last.url)).toBe('over');
  const view = await viewOf(last.url);
  const answered = await person.answered(last.url);
  expect(view).toMatchObject({ activeRun: null, interrupts: [] });
  expect(person.events.map(({ seq }) => seq)).toEqual(person.events.map((_event, index) => index + 1));
  expect(misspelt(person.events)).toEqual([]);
  expect(applied(person.events)).toEqual(view.page.messages);
  expect(lives.faults).toEqual([]);
  await last.end();
  expect(await lives.damage()).toEqual([]);
  return { answered: kinds(answered), counted: lives.counted, states: lives.states, passed: lives.passed };
}

const kinds = (answered: readonly StoredInterrupt[]): string[] => answered.map(({ interrupt }) => interrupt.kind);

/** The server waits for nothing between its question and the answer: nothing is lost, and nothing is in doubt. */
const CERTAIN: [when: string, place: string, hit: number][] = [
  ['when the run is parked with its question', 'run:parked', 2],
  ['before the answer is stored', 'answer:written', 2],
  ['after it is stored', 'answer:committed', 2],
  ['when the call is planned anew', 'run:planned', 2],
];

describe.concurrent('a server killed while a question of a tool waits', () => {
  it('unkilled: the tool runs once, and its state comes back byte for byte', async () => {
    const { answered, counted, states } = await seenThrough(null);
    expect({ answered, counted, states }).toEqual({
      answered: ['approval', 'elicitation'],
      counted: 1,
      states: [STATE],
    });
  });

  it.each(CERTAIN)('%s (%s, %i): another process goes on, the tool runs once', async (_when, place, hit) => {
    const { answered, counted, states } = await seenThrough({ place, hit });
    expect({ answered, counted }).toEqual({ answered: ['approval', 'elicitation'], counted: 1 });
    expect(new Set(states)).toEqual(new Set([STATE]));
  });

  it('when the call was sent with the answers: it is in doubt, and made again with them if the person says so', async () => {
    const { answered, counted, states } = await seenThrough({ place: 'run:sent', hit: 2 });
    expect({ answered, counted }).toEqual({ answered: ['approval', 'elicitation', 'in_doubt'], counted: 1 });
    expect(new Set(states)).toEqual(new Set([STATE]));
  });
});

/** Where a server is killed that runs a function tool which asks for a form before it does anything. */
const KILLED_IN_FUNCTION: [when: string, place: string, hit: number, kinds: string[]][] = [
  ['when the run is parked with its question', 'run:parked', 2, ['approval', 'elicitation']],
  ['when the answer is stored', 'answer:committed', 2, ['approval', 'elicitation']],
  ['when the call was sent with the answer', 'run:sent', 2, ['approval', 'elicitation', 'in_doubt']],
];

describe.concurrent('a server killed while a function tool waits for ask()', () => {
  it.each(KILLED_IN_FUNCTION)('%s (%s, %i): reserves once', async (_when, place, hit, asked) => {
    const script = (messages: readonly { role: string }[]) =>
      messages.some(({ role }) => role === 'tool')
        ? reply.text('Reserved.')
        : reply.toolCalls([{ name: 'reserve', arguments: {} }]);
    await using lives = await Lives.with(script, { reserves: true });
    const person = new Person(() => ({ decision: 'repeat' }));
    const first = await lives.start({ place, hit });
    await person.goOn(first.url);
    expect(await first.exited()).toBe('SIGKILL');
    const last = await lives.startHere();
    expect(await person.goOn(last.url)).toBe('over');
    expect(kinds(await person.answered(last.url))).toEqual(asked);
    expect(applied(person.events)).toEqual((await viewOf(last.url)).page.messages);
    expect(lives.reserved).toEqual(['begins', 'begins', 'reserves: accept']);
    expect(lives.faults).toEqual([]);
  });
});
