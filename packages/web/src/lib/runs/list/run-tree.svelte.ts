import type { RunEvent, RunSummary, RunTree } from '@toolyard/protocol';
import { api as realApi, type Api } from '../../api/client.ts';
import { live as realLive } from '../../live/live.svelte.ts';
import { Loaded, type ResourceLive } from '../../state/loaded.svelte.ts';
import { changesRunList } from './run-list.svelte.ts';

const REFRESH_AFTER_MS = 300;

type Deps = { api: Pick<Api, 'get'>; live: ResourceLive & Pick<typeof realLive, 'onRun'> };

/** A node of the tree component. */
export type RunNode = { key: string; label: string; children: readonly RunNode[]; run: RunSummary };

/** The tree that a run belongs to, refreshed while it changes. */
export class RunTreeState extends Loaded<RunTree> {
  readonly #live: Deps['live'];

  constructor(runId: string, { api, live }: Deps = { api: realApi, live: realLive }) {
    super(() => api.get('/api/runs/{id}/tree', { params: { id: runId } }), {
      live,
      changes: [],
      delayMs: REFRESH_AFTER_MS,
    });
    this.#live = live;
  }

  /** Returns the function that stops the updates. */
  follow(): () => void {
    void this.load();
    const stops = [
      this.#live.onHello(() => this.refresh()),
      this.#live.onRun((event) => {
        if (this.#concerns(event)) this.refresh();
      }),
    ];
    return () => {
      this.cancelRefresh();
      for (const stop of stops) stop();
    };
  }

  /** A run that has just started may belong to the tree. */
  #concerns(event: RunEvent): boolean {
    if (!changesRunList(event)) return false;
    return event.type === 'run_started' || this.data?.items.some(({ id }) => id === event.runId) === true;
  }
}

/** The runs as nodes; `labelOf` gives the text that letters jump to. */
export function nodesOf(
  runs: readonly RunSummary[],
  labelOf: (run: RunSummary) => string,
  parent: string | null = null,
): RunNode[] {
  return runs
    .filter(({ parentRunId }) => parentRunId === parent)
    .map((run) => ({ key: run.id, label: labelOf(run), run, children: nodesOf(runs, labelOf, run.id) }));
}
