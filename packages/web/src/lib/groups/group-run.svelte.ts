import type { GroupRunView } from '@toolyard/protocol';
import { api as realApi, type Api } from '../api/client.ts';
import { changesRunList } from '../runs/list/run-list.svelte.ts';
import { live as realLive } from '../live/live.svelte.ts';
import { Loaded, type ResourceLive } from '../state/loaded.svelte.ts';

const REFRESH_AFTER_MS = 200;

type Deps = { api: Pick<Api, 'get' | 'post'>; live: ResourceLive & Pick<typeof realLive, 'onRun'> };

/** Where the run of a group is: its round, and who is speaking. Null inside: the run belongs to no group. */
export class GroupRun extends Loaded<{ group: GroupRunView | null }> {
  readonly #runId: string;
  readonly #deps: Deps;

  constructor(runId: string, deps: Deps = { api: realApi, live: realLive }) {
    super(() => deps.api.get('/api/runs/{id}/group', { params: { id: runId } }), {
      live: deps.live,
      changes: [],
      delayMs: REFRESH_AFTER_MS,
    });
    this.#runId = runId;
    this.#deps = deps;
  }

  get group(): GroupRunView | null {
    return this.data?.group ?? null;
  }

  /** Returns the function that stops the updates. The turns of members are runs of their own. */
  follow(): () => void {
    void this.load();
    const stops = [
      this.#deps.live.onHello(() => this.refresh()),
      this.#deps.live.onRun((event) => {
        if (changesRunList(event)) this.refresh();
      }),
    ];
    return () => {
      this.cancelRefresh();
      for (const stop of stops) stop();
    };
  }

  async pause(): Promise<void> {
    await this.#deps.api.post('/api/runs/{id}/pause', { params: { id: this.#runId } });
    await this.load();
  }

  async resume(): Promise<void> {
    await this.#deps.api.post('/api/runs/{id}/resume', { params: { id: this.#runId } });
    await this.load();
  }
}
