import type { Owner, RunSummary, RunTree } from '@toolyard/protocol';
import { addSpent, ZERO_SPENT } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';
import { taskNumber } from '../sub-agents/list-sub-agents.ts';

/** More than a page can show at once; a tree of 20 calls with 50 tasks each is below. */
const MAX_RUNS = 1_000;

/** The tree that a run belongs to; null if the owner has no such run. */
export async function readRunTree(
  { runList }: Pick<SharedStorage, 'runList'>,
  principal: Owner,
  runId: string,
): Promise<RunTree | null> {
  const found = await runList.tree(principal, runId, MAX_RUNS + 1);
  if (found.length === 0) return null;
  const items = found.slice(0, MAX_RUNS).toSorted(inOrder);
  const spent = items.reduce((sum, run) => addSpent(sum, run.spent), ZERO_SPENT);
  return { items, spent, ...(found.length > MAX_RUNS ? { truncated: true } : {}) };
}

function inOrder(a: RunSummary, b: RunSummary): number {
  if (a.parentRunId === null || b.parentRunId === null)
    return Number(a.parentRunId !== null) - Number(b.parentRunId !== null);
  return a.createdAt - b.createdAt || taskNumber(a.id) - taskNumber(b.id);
}
