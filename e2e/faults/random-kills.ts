import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { InDoubtAnswer, StoredInterrupt } from '@toolyard/protocol';
import { createRandom } from '@toolyard/testing';
import type { ServerInstance } from '../support/server-instances.ts';
import { callsOfTurns, ServerInstances } from '../support/server-instances.ts';
import { TestUser } from '../support/test-user.ts';
import { transcriptWithoutCounts } from '../support/transcript.ts';
import type { Engine } from './run-with-faults.ts';
import { databaseOn, runWithFaults } from './run-with-faults.ts';

const TURNS = [1, 2, 1, 3, 1, 3];
/** A third of what the whole run takes, so that it survives most of its kills. */
const LONGEST_LIFE_MS = 150;
const MOST_PLACES = 100;

const ANSWERS: InDoubtAnswer[] = [
  { decision: 'repeat' },
  { decision: 'failed' },
  { decision: 'result', text: 'It was counted.' },
];

/** A server that is killed at a random time, or at a random one of the points at which something is written. */
async function startDoomed(lives: ServerInstances, random: () => number): Promise<ServerInstance> {
  if (random() < 0.5) return lives.start({ place: '*', hit: 1 + Math.floor(random() * MOST_PLACES) });
  const life = await lives.start();
  void sleep(random() * LONGEST_LIFE_MS).then(() => life.kill());
  return life;
}

/** A run of many calls in servers that are killed so often, or until it is over. */
export async function expectCompleteDespite(engine: Engine, kills: number, seed: number): Promise<void> {
  const random = createRandom(seed);
  await using database = await databaseOn(engine);
  await using lives = await ServerInstances.of(TURNS, { reportsUsage: true, ...database.options });
  const user = new TestUser(() => ANSWERS[Math.floor(random() * ANSWERS.length)] ?? { decision: 'failed' });
  const faults = Array.from({ length: kills }, () => () => startDoomed(lives, random));
  const { view, answered, problems } = await runWithFaults({ lives, user, faults });
  expect(problems).toEqual([]);
  expect(transcriptWithoutCounts(view.page.messages)).toEqual(transcriptWith(answered));
  // Allowed for this conversation: kills after that must not cause another approval.
  expect(answered.filter(({ interrupt }) => interrupt.kind === 'approval')).toHaveLength(1);
}

/** What a run without faults says, but for the answers the user gave about calls in doubt. */
function transcriptWith(answered: readonly StoredInterrupt[]): string[] {
  const lines = ['user: Count, please.'];
  for (const calls of callsOfTurns(TURNS)) {
    lines.push(`assistant: Let me count. ${calls.map((n) => `count {"n":${n}}`).join(' ')} (tool_calls)`);
    for (const n of calls) {
      const decided = doubtsAbout(n, answered).at(-1)?.answer;
      if (decided?.decision === 'failed')
        lines.push('tool: This call was interrupted; the user reports that it did not take effect. (not_sent)');
      else lines.push(decided?.decision === 'result' ? `tool: ${decided.text} (done)` : 'tool: counted (done)');
    }
  }
  return [...lines, 'assistant: I have counted all there was, as you asked me to do. (stop)'];
}

function doubtsAbout(n: number, answered: readonly StoredInterrupt[]): StoredInterrupt[] {
  return answered.filter(({ interrupt }) => interrupt.kind === 'in_doubt' && interrupt.arguments['n'] === n);
}
