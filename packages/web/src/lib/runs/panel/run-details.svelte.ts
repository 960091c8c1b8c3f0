import type { RunSteps } from '@toolyard/protocol';
import { api as realApi, type Api } from '../../api/client.ts';
import { live as realLive } from '../../live/live.svelte.ts';
import { Loaded, type ResourceLive } from '../../state/loaded.svelte.ts';

const REFRESH_AFTER_MS = 300;

type Deps = { api: Pick<Api, 'get'>; live: ResourceLive & Pick<typeof realLive, 'onRun'> };

/** The steps of one run, refreshed while it is in progress. */
export class RunDetails extends Loaded<RunSteps> {
  readonly #runId: string;
  readonly #live: Deps['live'];

  constructor(runId: string, { api, live }: Deps = { api: realApi, live: realLive }) {
    super(() => api.get('/api/runs/{id}/steps', { params: { id: runId } }), {
      live,
      changes: [],
      delayMs: REFRESH_AFTER_MS,
    });
    this.#runId = runId;
    this.#live = live;
  }

  get steps(): RunSteps | null {
    return this.data;
  }

  /** Returns the function that stops the updates. */
  follow(): () => void {
    void this.load();
    const leave = [
      this.#live.onRun(({ runId, type }) => {
        if (runId === this.#runId && type !== 'text_delta' && type !== 'reasoning_delta') this.refresh();
      }),
      this.#live.onHello(() => void this.load()),
    ];
    return () => {
      this.cancelRefresh();
      for (const end of leave) end();
    };
  }
}
