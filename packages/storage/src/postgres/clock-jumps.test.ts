import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunStore } from '@toolyard/protocol';
import { createFakeClock } from '@toolyard/testing';
import { describeOnDatabases } from '@toolyard/testing/on-postgres';
import type { EngineUnderTest } from '../test-fixtures/conformance/setup.ts';
import { P1, P2 } from '../test-fixtures/conformance/setup.ts';
import { ANNE, createCommit, deltas, LEASE_MS, newRun } from '../test-fixtures/conversation.ts';
import { openPostgresEngine } from '../test-fixtures/postgres-engine.ts';

const HOUR_MS = 3_600_000;
const START_MS = 10 * HOUR_MS;

describeOnDatabases('a database clock that jumps by an hour', (cluster) => {
  let engine: EngineUnderTest;
  let holder: RunStore;
  let other: RunStore;
  const setClock = async (ms: number): Promise<void> => engine.clockAdvanced?.(ms);

  beforeEach(async () => {
    const clock = { ...createFakeClock(), monotonic: () => START_MS };
    engine = await openPostgresEngine(await cluster().createDatabase(), clock);
    holder = await engine.handle();
    other = await engine.handle();
    await engine.createConversation(ANNE, 'c1');
    await holder.createRun(ANNE, newRun('r1', 'c1'));
  });
  afterEach(() => engine.close());

  test('forward: another process takes the run, the old one can store nothing more, and nothing is lost', async () => {
    await holder.commit([createCommit('r1', { events: deltas('r1', 0, 2) })]);
    await setClock(START_MS + HOUR_MS);
    expect(await other.claimExpired(P2, 10)).toMatchObject([{ id: 'r1', fence: 2, lastSeq: 2 }]);
    const [late] = await holder.commit([createCommit('r1', { baseSeq: 2, events: deltas('r1', 2, 1) })]);
    expect(late).toMatchObject({ outcome: 'stale', now: { fence: 2, lastSeq: 2 } });
    expect(
      await other.commit([createCommit('r1', { fence: 2, baseSeq: 2, events: deltas('r1', 2, 1) })]),
    ).toMatchObject([{ outcome: 'committed', lastSeq: 3 }]);
  });

  test('back: the process keeps its run, and its lease ends by the new time', async () => {
    const back = START_MS - HOUR_MS;
    await setClock(back);
    expect(await holder.renewLeases(P1)).toMatchObject([{ runId: 'r1', fence: 1 }]);
    expect(await other.claimExpired(P2, 10)).toEqual([]);
    await setClock(back + LEASE_MS + 1);
    expect(await other.claimExpired(P2, 10)).toMatchObject([{ id: 'r1', fence: 2 }]);
  });
});
