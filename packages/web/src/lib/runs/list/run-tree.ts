import type { RunSummary, RunTree } from '@toolyard/protocol';
import { api } from '../../api/client.ts';
import { live } from '../../live/live.svelte.ts';
import { Loaded } from '../../state/loaded.svelte.ts';
import { changesRunList } from './run-list.svelte.ts';

/** A node of the tree component. */
export type RunNode = { key: string; label: string; children: readonly RunNode[]; run: RunSummary };

/** The tree that a run belongs to. */
export function runTree(id: string): Loaded<RunTree> {
  const tree: Loaded<RunTree> = new Loaded(() => api.get('/api/runs/{id}/tree', { params: { id } }), {
    live,
    changes: [],
    // A run that has just started may belong to the tree.
    runs: (event) =>
      changesRunList(event) &&
      (event.type === 'run_started' || tree.data?.items.some((run) => run.id === event.runId) === true),
    delayMs: 300,
  });
  return tree;
}

/** The runs as nodes; `labelOf` gives the text that letters jump to. */
export function toNodes(
  runs: readonly RunSummary[],
  labelOf: (run: RunSummary) => string,
  parent: string | null = null,
): RunNode[] {
  return runs
    .filter(({ parentRunId }) => parentRunId === parent)
    .map((run) => ({ key: run.id, label: labelOf(run), run, children: toNodes(runs, labelOf, run.id) }));
}
