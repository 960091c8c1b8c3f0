import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { InDoubtAnswer, StoredInterrupt } from '@toolyard/protocol';
import { createRandom } from '@toolyard/testing';
import type { Life } from './lives.ts';
import { callsOfTurns, Lives } from './lives.ts';
import { Person, viewOf } from './person.ts';
import { applied, misspelt, told } from './transcript.ts';

const TURNS = [1, 2, 1, 3, 1, 3];
const CALLS = 11;
/** A third of what the whole run takes, so that it lives through most of its kills. */
const LONGEST_LIFE_MS = 150;
const MOST_PLACES = 100;

const ANSWERS: InDoubtAnswer[] = [
  { decision: 'repeat' },
  { decision: 'failed' },
  { decision: 'result', text: 'It was counted.' },
];

/** A life that ends at a random moment of the clock, or at a random one of those in which something is written. */
async function mortalLife(lives: Lives, random: () => number): Promise<Life> {
  if (random() < 0.5) return lives.start({ place: '*', hit: 1 + Math.floor(random() * MOST_PLACES) });
  const life = await lives.start();
  void sleep(random() * LONGEST_LIFE_MS).then(() => life.kill());
  return life;
}

/** Sees a run of many calls through on servers that are killed so often, or until it is over; checks what is always so. */
export async function expectWholeDespite(kills: number, seed: number): Promise<void> {
  const random = createRandom(seed);
  await using lives = await Lives.of(TURNS);
  const person = new Person(() => ANSWERS[Math.floor(random() * ANSWERS.length)] ?? { decision: 'failed' });
  for (let kill = 0; kill < kills; kill++) {
    // Null: killed before it answered, which counts.
    const life = await mortalLife(lives, random).catch(() => null);
    if (life === null) continue;
    const end = await person.goOn(life.url);
    life.kill();
    await life.exited();
    if (end === 'over') break;
  }
  const last = await lives.startHere();
  expect(await person.goOn(last.url)).toBe('over');

  const { page, ...view } = await viewOf(last.url);
  const answered = await person.answered(last.url);
  expect(view).toMatchObject({ activeRun: null, interrupts: [] });
  expect(person.events.map(({ seq }) => seq)).toEqual(person.events.map((_event, index) => index + 1));
  expect(misspelt(person.events)).toEqual([]);
  expect(applied(person.events)).toEqual(page.messages);
  expect(told(page.messages).map(withoutCount)).toEqual(storyWith(answered));
  // Approved for this conversation: whatever was killed after that, nobody is asked again.
  expect(answered.filter(({ interrupt }) => interrupt.kind === 'approval')).toHaveLength(1);
  expect(effectsBeyondConsent(lives.made, answered)).toEqual([]);
  expect(lives.counted).toBe(lives.made.length);
  expect(lives.faults).toEqual([]);
  await last.end();
  expect(await lives.damage()).toEqual([]);
}

/** A count repeated on a person's word is higher than its number. */
function withoutCount(line: string): string {
  return line.replace(/^tool: \d+ /, 'tool: counted ');
}

/** What an unkilled run tells, but for the answers a person gave to calls in doubt. */
function storyWith(answered: readonly StoredInterrupt[]): string[] {
  const story = ['user: Count, please.'];
  for (const calls of callsOfTurns(TURNS)) {
    story.push(`assistant: Let me count. ${calls.map((n) => `count {"n":${n}}`).join(' ')} (tool_calls)`);
    for (const n of calls) {
      const said = doubtsAbout(n, answered).at(-1)?.answer;
      if (said?.decision === 'failed')
        story.push('tool: This call was cut off; the person says that it did not take effect. (not_sent)');
      else story.push(said?.decision === 'result' ? `tool: ${said.text} (done)` : 'tool: counted (done)');
    }
  }
  return [...story, 'assistant: I have counted all there was, as you asked me to do. (stop)'];
}

/** Calls that took effect more or less often than once, beside those a person has decided about. */
function effectsBeyondConsent(made: readonly number[], answered: readonly StoredInterrupt[]): string[] {
  return Array.from({ length: CALLS }, (_none, index) => index + 1).flatMap((n) => {
    const effects = made.filter((each) => each === n).length;
    const said = doubtsAbout(n, answered).map(({ answer }) => answer?.decision);
    const most = 1 + said.filter((decision) => decision === 'repeat').length;
    const least = said.length === 0 || said.at(-1) === 'repeat' ? 1 : 0;
    return effects > most || effects < least ? [`call ${n} took effect ${effects} times; said: ${said.join()}`] : [];
  });
}

function doubtsAbout(n: number, answered: readonly StoredInterrupt[]): StoredInterrupt[] {
  return answered.filter(({ interrupt }) => interrupt.kind === 'in_doubt' && interrupt.arguments['n'] === n);
}
