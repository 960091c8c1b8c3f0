import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFakeClock, runNode, programArgs } from '@toolyard/testing';
import type { Storage } from './storage.ts';
import { openStorage } from './open-storage.ts';
import { ANNE, createCommit, deltas } from './test-fixtures/conversation.ts';
import { temporaryFolder } from './test-fixtures/sqlite-engine.ts';

const PROGRAM = fileURLToPath(new URL('./test-fixtures/killed-process.ts', import.meta.url));

let folder: ReturnType<typeof temporaryFolder>;
let reopened: Storage | undefined;
beforeEach(() => {
  folder = temporaryFolder();
  reopened = undefined;
});
afterEach(() => {
  reopened?.close();
  folder.remove();
});

/** Expected content after each number of commits. */
const AFTER = [
  { lastSeq: 0, step: 0, call: undefined },
  { lastSeq: 3, step: 1, call: 'planned' },
  { lastSeq: 4, step: 2, call: 'sent' },
  { lastSeq: 6, step: 3, call: 'done' },
  { lastSeq: 8, step: 4, call: 'done' },
] as const;

async function killAt(place: string, hit: number): Promise<{ printed: string[]; storage: Storage }> {
  const killed = await runNode([
    '--disable-warning=ExperimentalWarning',
    ...programArgs(PROGRAM),
    folder.path,
    place,
    String(hit),
  ]);
  expect(killed).toMatchObject({ signal: 'SIGKILL', stderr: '' });
  // Without any cleanup: the lock ended with the process, the WAL is replayed.
  reopened = await openStorage({ folder: folder.path, clock: createFakeClock() });
  return { printed: killed.stdout.trim().split('\n').filter(Boolean), storage: reopened };
}

describe('a process killed during a write', () => {
  for (const place of ['commit:begun', 'commit:written', 'commit:committed']) {
    for (const hit of [1, 2, 3, 4]) {
      test(`at ${place} of commit ${hit}: commits are atomic and confirmed ones are kept`, async () => {
        const { printed, storage } = await killAt(place, hit);
        const stored = place === 'commit:committed' ? hit : hit - 1;
        const { lastSeq, step, call } = AFTER[stored] ?? AFTER[0];
        expect(printed).toHaveLength(hit);

        const events = storage.runs.readEvents(ANNE, 'r1', 0, 100) ?? [];
        expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: lastSeq }, (_none, index) => index + 1));
        expect(storage.runs.readLedger(ANNE, 'r1')?.[0]?.status).toBe(call);
        const answered = stored === 4;
        expect(await storage.messages.branch(ANNE, 'c1')).toHaveLength(answered ? 2 : 1);
        expect(storage.runs.listInterrupts(ANNE, { status: 'open', limit: 9 })).toHaveLength(answered ? 1 : 0);
        expect(await storage.check()).toEqual({ ok: true });

        // The next process resumes the run, and the killed one could no longer write.
        const [taken] = storage.runs.claimExpired({ owner: 'next', ms: 1_000 }, 10);
        expect(taken).toMatchObject({ id: 'r1', fence: 2, lastSeq, state: { step } });
        const item = createCommit('r1', { baseSeq: lastSeq, events: deltas('r1', lastSeq, 1) });
        expect(storage.runs.commit([item, { ...item, fence: 2 }])).toMatchObject([
          { outcome: 'stale' },
          { outcome: 'committed' },
        ]);
      });
    }
  }

  test('before the run is stored: run, message and leaf are missing, and the message can be sent again', async () => {
    const { printed, storage } = await killAt('create-run:written', 1);
    expect(printed).toEqual([]);
    expect(storage.runs.listRuns(ANNE, { limit: 9 })).toEqual([]);
    expect(await storage.messages.all(ANNE, 'c1')).toEqual([]);
    expect(await storage.conversations.get(ANNE, 'c1')).toMatchObject({ leafId: null });
  });

  test('after the run is stored, before the response: run, message and leaf exist', async () => {
    const { printed, storage } = await killAt('create-run:committed', 1);
    expect(printed).toEqual([]);
    expect(storage.runs.getRun(ANNE, 'r1')).toMatchObject({ status: 'running', lastSeq: 0 });
    expect(await storage.messages.branch(ANNE, 'c1')).toHaveLength(1);
  });
});
