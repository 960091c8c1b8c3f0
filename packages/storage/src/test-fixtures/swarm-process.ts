import { setTimeout as sleep } from 'node:timers/promises';
import type { LeasedRun, RunCommit } from '@toolyard/protocol';
import { systemClock } from '@toolyard/protocol';
import { createRandom } from '@toolyard/testing';
import { openStorage } from '../open-storage.ts';
import { StorageError } from '../storage-error.ts';
import { deltas } from './conversation.ts';

/**
 * One of several processes that execute the same runs: `node swarm-process.ts <url> <name> <seed> <milliseconds>`.
 * Takes runs over, writes the items of their inboxes into their events, and sometimes sleeps past its leases and writes
 * afterwards.
 */
const [url = '', owner = '', seed = '0', duration = '0'] = process.argv.slice(2);
const random = createRandom(Number(seed));
const storage = await openStorage({ url, clock: systemClock });
const until = performance.now() + Number(duration);
/** Minimum number of turns, however slow the machine is. */
const MIN_TURNS = 10;
const LEASE = { owner, ms: 300 };

for (let turns = 0; turns < MIN_TURNS || performance.now() < until; turns++) {
  try {
    await takeTurn();
  } catch (error) {
    // PostgreSQL ends idle transactions of a suspended process: its work starts again from the stored state.
    if (!StorageError.isInstance(error) || error.problem !== 'unreachable') throw error;
  }
  await sleep(10);
}
await storage.close();

async function takeTurn(): Promise<void> {
  const taken = await storage.runs.claimExpired(LEASE, 4);
  const held = new Map(taken.map((run) => [run.id, { run, lastSeq: run.lastSeq }]));
  for (let round = 0; round < 5 && held.size > 0; round++) {
    if (random() < 0.15) await sleep(500);
    else await storage.runs.renewLeases(LEASE);
    const items = await Promise.all([...held.values()].map(({ run, lastSeq }) => nextCommit(run, lastSeq)));
    const outcomes = await storage.runs.commit(items);
    for (const [index, item] of items.entries()) {
      const outcome = outcomes[index];
      if (outcome?.outcome === 'invalid') throw new Error(outcome.problem);
      if (outcome?.outcome !== 'committed' || item.release) held.delete(item.runId);
      else held.set(item.runId, { run: held.get(item.runId)?.run ?? throwNotHeld(), lastSeq: outcome.lastSeq });
    }
  }
}

async function nextCommit(run: LeasedRun, baseSeq: number): Promise<RunCommit> {
  const inbox = (await storage.runs.readInbox(run.id, run.fence)) ?? [];
  const events = deltas(run.id, baseSeq, 1 + inbox.length).map((event, index) => {
    const item = inbox[index - 1];
    return item ? { ...event, text: `took ${item.id}` } : event;
  });
  const rest = random() < 0.2 ? ({ release: true, status: 'parked' } as const) : {};
  const taken = inbox.map(({ id }) => id);
  return { runId: run.id, fence: run.fence, baseSeq, events, taken, durability: 'normal', ...rest };
}

function throwNotHeld(): never {
  throw new Error('a run that is not held');
}
