import type { RunEvent, RunSummary } from '@toolyard/protocol';
import { api as realApi, type Api } from '../../api/client.ts';
import { live as realLive } from '../../live/live.svelte.ts';
import { LoadedPages } from '../../state/loaded-pages.svelte.ts';
import type { ResourceLive } from '../../state/loaded.svelte.ts';
import type { RunFilters } from './run-filters.ts';
import { requestQuery } from './run-filters.ts';

const PAGE_SIZE = 50;
const REFRESH_AFTER_MS = 400;

type Deps = { api: Pick<Api, 'get' | 'post'>; live: ResourceLive };

/** True for events after which a list of runs shows something else. */
export function changesRunList({ type }: RunEvent): boolean {
  switch (type) {
    case 'run_started':
    case 'run_parked':
    case 'run_resumed':
    case 'run_finished':
    case 'message_finished':
    case 'interrupt_requested':
    case 'interrupt_answered':
    case 'interrupt_withdrawn':
      return true;
    default:
      return false;
  }
}

const newestFirst = (a: RunSummary, b: RunSummary): number => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1);

/** The runs of the user that match the filters, newest first. Runs further down keep the state they were loaded with. */
export class RunList extends LoadedPages<RunSummary> {
  #query: Record<string, string> = {};
  readonly #api: Deps['api'];

  constructor({ api, live }: Deps = { api: realApi, live: realLive }) {
    super((after) => api.get('/api/runs', { query: { ...this.#query, limit: PAGE_SIZE, after } }), newestFirst, {
      live,
      // Deleted and renamed conversations.
      changes: ['conversations', 'interrupts'],
      runs: changesRunList,
      delayMs: REFRESH_AFTER_MS,
    });
    this.#api = api;
  }

  /** Loads the runs that match, instead of those of the filters before. */
  async filter(filters: RunFilters): Promise<void> {
    this.#query = requestQuery(filters);
    this.clear();
    await this.load();
  }

  /** Stops a run and everything below it. */
  async stop(id: string): Promise<void> {
    await this.#api.post('/api/runs/{id}/cancel', { params: { id } });
    this.refresh();
  }
}
