import type { RunSteps } from '@toolyard/protocol';
import { api as realApi } from '../api/client.ts';
import type { ApiError } from '../api/error.ts';
import { asApiError } from '../state/failure.ts';
import { live as realLive } from '../state/live.svelte.ts';

/** What happens comes in bursts; one question answers them all. */
const REFRESH_AFTER_MS = 300;

type Deps = { api: Pick<typeof realApi, 'get'>; live: Pick<typeof realLive, 'onRun' | 'onHello'> };

/** What one run did, kept right while it goes on. */
export class ShownRun {
  steps: RunSteps | null = $state.raw(null);
  error: ApiError | null = $state.raw(null);
  loading = $state(false);
  readonly #runId: string;
  readonly #deps: Deps;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(runId: string, deps: Deps = { api: realApi, live: realLive }) {
    this.#runId = runId;
    this.#deps = deps;
  }

  /** Gives back what ends it. */
  follow(): () => void {
    const { live } = this.#deps;
    void this.load();
    const leave = [
      live.onRun(({ runId, type }) => {
        if (runId !== this.#runId || type === 'text_delta' || type === 'reasoning_delta') return;
        this.#timer ??= setTimeout(() => void this.load(), REFRESH_AFTER_MS);
      }),
      live.onHello(() => void this.load()),
    ];
    return () => {
      clearTimeout(this.#timer);
      for (const end of leave) end();
    };
  }

  async load(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.loading = true;
    try {
      this.steps = await this.#deps.api.get<RunSteps>(`/api/runs/${encodeURIComponent(this.#runId)}/steps`);
      this.error = null;
    } catch (thrown) {
      this.error = asApiError(thrown);
    } finally {
      this.loading = false;
    }
  }
}
