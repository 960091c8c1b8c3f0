import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RunStore } from '@toolyard/protocol';
import { ANNE, createCommit } from '../conversation.ts';
import type { OpenEngine } from './setup.ts';
import { ConformanceBench } from './setup.ts';
import { describeCommitting } from './committing.ts';
import { describeCompaction } from './compaction.ts';
import { describeInbox } from './inbox.ts';
import { describeInterrupts } from './interrupts.ts';
import { describeLeases } from './leases.ts';
import { describeLedger } from './ledger.ts';
import { describeOwners } from './owners.ts';
import { describeRelatives } from './relatives.ts';
import { describeStarting } from './starting.ts';

/** The contract of {@link RunStore}, which every engine is tested against. */
export function describeRunStore(name: string, open: OpenEngine): void {
  describe(name, () => {
    const bench = new ConformanceBench(open);
    beforeEach(() => bench.setUp());
    afterEach(() => bench.tearDown());

    describeStarting(bench);
    describeOwners(bench);
    describeCommitting(bench);
    describeLeases(bench);
    describeInbox(bench);
    describeRelatives(bench);
    describeLedger(bench);
    describeInterrupts(bench);
    describeCompaction(bench);
    describeListing(bench);
  });
}

function describeListing(bench: ConformanceBench): void {
  test('lists runs newest first, in pages, by conversation and status', async () => {
    for (const [index, id] of ['r1', 'r2', 'r3'].entries()) await bench.startRun(id, { at: index });
    await bench.commit(createCommit('r2', { status: 'done' }));
    const ids = async (query: Parameters<RunStore['listRuns']>[1]): Promise<string[]> =>
      (await bench.store.listRuns(ANNE, query)).map(({ id }) => id);
    expect(await ids({ limit: 2 })).toEqual(['r3', 'r2']);
    expect(await ids({ limit: 2, before: 'r2' })).toEqual(['r1']);
    expect(await ids({ limit: 9, statuses: ['running'] })).toEqual(['r3', 'r1']);
    expect(await ids({ limit: 9, conversationId: 'c-r2' })).toEqual(['r2']);
  });
}
