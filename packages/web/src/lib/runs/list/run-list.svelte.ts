import type { Page, RunEvent, RunSummary } from '@toolyard/protocol';
import { api as realApi, type Api } from '../../api/client.ts';
import { asApiError } from '../../state/failure.ts';
import { live as realLive } from '../../live/live.svelte.ts';
import { Loaded, type ResourceLive } from '../../state/loaded.svelte.ts';
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

/** The runs of the user that match the filters, newest first. The resource is the first page. */
export class RunList extends Loaded<Page<RunSummary>> {
  /** All loaded pages; null until the first has arrived. */
  items: readonly RunSummary[] | null = $state.raw(null);
  loadingMore = $state(false);
  #next: string | undefined = $state.raw(undefined);
  readonly hasMore: boolean = $derived(this.#next !== undefined);
  #query: Record<string, string> = {};
  readonly #deps: Deps;

  constructor(deps: Deps = { api: realApi, live: realLive }) {
    const request = () => deps.api.get('/api/runs', { query: { ...this.#query, limit: PAGE_SIZE } });
    super(request, {
      live: deps.live,
      // Deleted and renamed conversations.
      changes: ['conversations', 'interrupts'],
      runs: changesRunList,
      delayMs: REFRESH_AFTER_MS,
    });
    this.#deps = deps;
  }

  /** Loads the runs that match, instead of those of the filters before. */
  async filter(filters: RunFilters): Promise<void> {
    this.#query = requestQuery(filters);
    this.#next = undefined;
    this.items = null;
    await this.load();
  }

  /** Runs further down keep the state they were loaded with. */
  protected override loaded({ items, next }: Page<RunSummary>): void {
    const last = items.at(-1);
    const beyond = next === undefined || last === undefined ? [] : after(this.items ?? [], last);
    if (beyond.length === 0) this.#next = next;
    this.items = [...items, ...beyond];
  }

  async loadMore(): Promise<void> {
    const [next, query] = [this.#next, this.#query];
    if (this.loadingMore || next === undefined) return;
    this.loadingMore = true;
    try {
      const page = await this.#deps.api.get('/api/runs', { query: { ...query, limit: PAGE_SIZE, after: next } });
      if (query !== this.#query) return;
      const last = this.items?.at(-1);
      this.items = [...(this.items ?? []), ...(last === undefined ? page.items : after(page.items, last))];
      this.#next = page.next;
    } catch (thrown) {
      this.error = asApiError(thrown);
    } finally {
      this.loadingMore = false;
    }
  }

  /** Stops a run and everything below it. */
  async stop(id: string): Promise<void> {
    await this.#deps.api.post('/api/runs/{id}/cancel', { params: { id } });
    this.refresh();
  }
}

/** The runs that come after one in the order of the list. */
function after(runs: readonly RunSummary[], last: RunSummary): RunSummary[] {
  return runs.filter(
    ({ createdAt, id }) => createdAt < last.createdAt || (createdAt === last.createdAt && id < last.id),
  );
}
