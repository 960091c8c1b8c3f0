import type { AgentState, RunPoint } from '@toolyard/agent-runtime';
import { openChildrenOf } from '@toolyard/agent-runtime';
import type { Owner, Spent, Usage } from '@toolyard/protocol';
import { addSpent, addUsage, ZERO_SPENT } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';
import { readEnd } from '../read/read-end.ts';

export type ChildRun = { runId: string; conversationId: string };

/** Usage of child runs and everything below them; `cost` is null if that of a request is unknown. */
export type ChildUsage = { usage: Usage; cost: number | null; spent: Spent };

/** The child runs that a parked run waits for. */
export function listChildren(state: AgentState): ChildRun[] {
  const open = new Set(openChildrenOf(state));
  return state.pending.flatMap(({ functionInterrupt: asks }) =>
    asks?.kind === 'delegation'
      ? (asks.children ?? []).flatMap((child) => ('runId' in child && open.has(child.runId) ? [child] : []))
      : [],
  );
}

/** Counts the usage of child runs as that of the run: its budget is that of the tree. */
export function withUsage({ state, context }: RunPoint, { usage, cost, spent }: ChildUsage): RunPoint {
  const total = state.cost === null || cost === null ? null : state.cost + cost;
  return {
    context,
    state: {
      ...state,
      usage: addUsage(state.usage, usage),
      cost: total,
      spent: { ...state.spent, run: addSpent(state.spent.run, spent) },
    },
  };
}

/** Reads the usage of child runs that have ended. */
export async function readChildUsage(
  storage: Pick<SharedStorage, 'runs' | 'usage'>,
  principal: Owner,
  { children, at }: { children: readonly ChildRun[]; at: number },
): Promise<ChildUsage> {
  let sum: ChildUsage = { usage: {}, cost: 0, spent: ZERO_SPENT };
  for (const { runId, conversationId } of children) {
    const end = await readEnd(storage.runs, principal, runId);
    const spent = await storage.usage.spent(principal, { of: 'run' }, { conversationId, runId, agentId: null, at });
    sum = {
      usage: addUsage(sum.usage, end?.usage ?? {}),
      cost: sum.cost === null || end?.cost === undefined ? null : sum.cost + end.cost,
      spent: addSpent(sum.spent, spent),
    };
  }
  return sum;
}
