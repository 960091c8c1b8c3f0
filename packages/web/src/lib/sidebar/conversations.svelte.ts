import type { ConversationSummary, Page, RunEvent } from '@toolyard/protocol';
import { ApiError, api as realApi, type Api } from '../api/client.ts';
import { changeByRun, inOrder, withItem } from './conversation-list.ts';
import { toApiError } from '../state/failure.ts';
import { live as realLive } from '../live/live.svelte.ts';
import { LoadedPages } from '../state/loaded-pages.svelte.ts';
import type { ResourceLive } from '../state/loaded.svelte.ts';

const PAGE_SIZE = 50;
const REFRESH_AFTER_MS = 120;

type Deps = {
  api: Pick<Api, 'get' | 'post' | 'patch' | 'delete'>;
  live: ResourceLive & Pick<typeof realLive, 'onRun'>;
};
type ConversationChange = Partial<Pick<ConversationSummary, 'title' | 'pinned'>>;

/** The conversations of the sidebar and their search. */
export class Conversations extends LoadedPages<ConversationSummary> {
  /** The text of the search; empty without one. */
  query = $state('');
  /** The results of the search; null without one, and until they have arrived. */
  found: readonly ConversationSummary[] | null = $state.raw(null);

  #search: AbortController | null = null;
  /** The conversation of each run: only its first event contains it. */
  readonly #conversationOfRun = new Map<string, string>();
  /** Changed conversations; those beyond the first page are loaded one by one. */
  readonly #touched = new Set<string>();
  readonly #api: Deps['api'];
  readonly #live: Deps['live'];

  constructor({ api, live }: Deps = { api: realApi, live: realLive }) {
    super((after) => api.get('/api/conversations', { query: { limit: PAGE_SIZE, after } }), inOrder, {
      live,
      changes: ['conversations'],
      delayMs: REFRESH_AFTER_MS,
    });
    this.#api = api;
    this.#live = live;
  }

  start(): void {
    this.#live.onChanged(({ what, id }) => {
      if (what === 'conversations' && id !== undefined) this.#touched.add(id);
    });
    this.#live.onRun((event) => this.#applyRun(event));
    this.watch();
  }

  byId(id: string): ConversationSummary | undefined {
    return this.items.find((item) => item.id === id) ?? this.found?.find((item) => item.id === id);
  }

  protected override loaded(page: Page<ConversationSummary>): void {
    super.loaded(page);
    const touched = [...this.#touched].filter((id) => this.byId(id) && !page.items.some((item) => item.id === id));
    this.#touched.clear();
    for (const id of touched) void this.#reload(id);
    if (this.query !== '') void this.search(this.query);
  }

  /** Searches titles and messages; results of an earlier search never replace those of a later one. */
  async search(query: string): Promise<void> {
    this.query = query;
    this.#search?.abort();
    const q = query.trim();
    if (q === '') {
      this.found = null;
      return;
    }
    const { signal } = (this.#search = new AbortController());
    try {
      const page = await this.#api.get('/api/conversations', { query: { limit: PAGE_SIZE, q }, signal });
      if (!signal.aborted) this.found = page.items;
    } catch (thrown) {
      if (!signal.aborted) this.error = toApiError(thrown);
    }
  }

  async update(id: string, body: ConversationChange): Promise<void> {
    await this.#showWhile(id, body, () => this.#api.patch('/api/conversations/{id}', { params: { id }, body }));
  }

  /** The server keeps it for a while: {@link restore} restores it. */
  async remove(id: string): Promise<void> {
    await this.#showWhile(id, null, () => this.#api.delete('/api/conversations/{id}', { params: { id } }));
  }

  async restore(id: string): Promise<void> {
    await this.#api.post('/api/conversations/{id}/restore', { params: { id } });
    await this.load();
  }

  /** Shows a change while it is sent, and the previous list if it fails. */
  async #showWhile(id: string, change: ConversationChange | null, send: () => Promise<unknown>): Promise<void> {
    const { items, found } = this;
    this.#apply(id, change);
    try {
      await send();
    } catch (thrown) {
      [this.items, this.found] = [items, found];
      this.refresh();
      throw thrown;
    }
  }

  #apply(id: string, change: Partial<ConversationSummary> | null): void {
    this.items = withItem(this.items, id, change);
    // Search results keep the order of the search.
    this.found =
      this.found
        ?.filter((item) => change !== null || item.id !== id)
        .map((item) => (item.id === id ? { ...item, ...change } : item)) ?? null;
  }

  #applyRun(event: RunEvent): void {
    if (event.type === 'run_started') this.#conversationOfRun.set(event.runId, event.conversationId);
    const change = changeByRun(event);
    const id = this.#conversationOfRun.get(event.runId);
    if (event.type === 'run_finished') this.#conversationOfRun.delete(event.runId);
    if (change === null) return;
    if (id === undefined || this.byId(id) === undefined) this.refresh();
    else this.#apply(id, change);
  }

  async #reload(id: string): Promise<void> {
    try {
      const { title, pinned, updatedAt } = await this.#api.get('/api/conversations/{id}', { params: { id } });
      this.#apply(id, { title, pinned, updatedAt });
    } catch (thrown) {
      if (thrown instanceof ApiError && thrown.status === 404) this.#apply(id, null);
    }
  }
}

export const conversations = new Conversations();
