import { expect } from 'vitest';
import type { LivesDatabase, LocalServerInstance } from './server-instances.ts';
import { callsOfTurns, ServerInstances, LONG_LEASES } from './server-instances.ts';
import { ask, TestUser, readView } from './test-user.ts';
import { judge } from '../faults/judge.ts';
import { readHistory } from '../faults/process-history.ts';
import { transcriptWithoutCounts } from './transcript.ts';

/** A run of several turns with several parallel calls, for `ServerInstances.of`; and its number of calls. */
export const TURNS = [1, 2, 1, 3];
export const CALLS = 7;

/** The run of {@link TURNS} is complete for the user who followed it, and on each of these servers. */
export async function expectCompleteRun(
  lives: ServerInstances,
  person: TestUser,
  urls: readonly string[],
): Promise<void> {
  for (const url of urls) {
    const view = await readView(url);
    expect(judge(await readHistory({ lives, runs: person.runs, view })).problems).toEqual([]);
    expect(transcriptWithoutCounts(view.page.messages)).toEqual(transcript());
  }
  expect(await lives.damage()).toEqual([]);
}

/**
 * Starts a run of {@link TURNS} on one of two servers that share a database, and streams and approves it on the other.
 */
export async function expectRunAtBoth(database: LivesDatabase): Promise<void> {
  await using lives = await ServerInstances.of(TURNS, { ...LONG_LEASES, database });
  const [one, other] = [await lives.startHere(), await lives.startHere()];
  const person = new TestUser(() => ({ decision: 'failed' }), await ask(one.url));
  expect(await person.goOn(other.url)).toBe('over');
  await expectCompleteRun(lives, person, [one.url, other.url]);
  expect(lives.counted).toBe(CALLS);
}

/** Starts and approves a run of {@link TURNS} at the web process, the only one with an API. */
export async function expectRunOverRoles(
  lives: ServerInstances,
  { web, worker, tools }: Record<'web' | 'worker' | 'tools', LocalServerInstance>,
): Promise<void> {
  const person = new TestUser(() => ({ decision: 'failed' }), await ask(web.url));
  expect(await person.goOn(web.url)).toBe('over');
  await expectCompleteRun(lives, person, [web.url]);
  expect(lives.counted).toBe(CALLS);
  for (const { url } of [worker, tools]) {
    expect((await fetch(`${url}/ready`)).status).toBe(200);
    expect((await fetch(`${url}/api/conversations`)).status).toBe(404);
    expect((await fetch(`${url}/internal/mcp-operation`, { method: 'POST' })).status).toBe(404);
  }
}

function transcript(): string[] {
  return [
    'user: Count, please.',
    ...callsOfTurns(TURNS).flatMap((calls) => [
      `assistant: Let me count. ${calls.map((n) => `count {"n":${n}}`).join(' ')} (tool_calls)`,
      ...calls.map(() => 'tool: counted (done)'),
    ]),
    'assistant: I have counted all there was, as you asked me to do. (stop)',
  ];
}
