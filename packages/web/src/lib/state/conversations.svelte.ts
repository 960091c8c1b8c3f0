import type { ConversationSummary, ConversationView, Page, RunEvent } from '@toolyard/protocol';
import { ApiError, api } from '../api/client.ts';
import { changeByRun, inOrder, withFirstPage, withItem } from './conversation-list.ts';
import { live } from './live.svelte.ts';

const PAGE_SIZE = 50;
/** Changes come in bursts (a title, a run, a pin); one question answers them all. */
const REFRESH_AFTER_MS = 120;

/** The list of conversations in the sidebar, kept right by the live stream, and the search over them. */
class Conversations {
  items: readonly ConversationSummary[] = $state.raw([]);
  /** True until the first answer. */
  loading = $state(true);
  loadingMore = $state(false);
  error: ApiError | null = $state.raw(null);
  /** What is searched for; empty: nothing. */
  query = $state('');
  /** What was found; null while there is no search, or its answer is not there yet. */
  found: readonly ConversationSummary[] | null = $state.raw(null);
  #next: string | undefined = $state.raw(undefined);
  readonly hasMore: boolean = $derived(this.#next !== undefined);

  #search: AbortController | null = null;
  #refreshing: ReturnType<typeof setTimeout> | undefined;
  /** Which conversation a run belongs to: only its first event says so. */
  readonly #conversationOfRun = new Map<string, string>();
  /** Changes named by id, to be looked up alone where the first page does not hold them. */
  readonly #touched = new Set<string>();

  start(): void {
    live.onHello(() => this.#refreshSoon());
    live.onChanged(({ what, id }) => {
      if (what !== 'conversations') return;
      if (id !== undefined) this.#touched.add(id);
      this.#refreshSoon();
    });
    live.onRun((event) => this.#applyRun(event));
  }

  byId(id: string): ConversationSummary | undefined {
    return this.items.find((item) => item.id === id) ?? this.found?.find((item) => item.id === id);
  }

  async load(): Promise<void> {
    const touched = [...this.#touched];
    this.#touched.clear();
    try {
      const page = await api.get<Page<ConversationSummary>>(`/api/conversations?limit=${String(PAGE_SIZE)}`);
      const first = this.items.length <= page.items.length;
      this.items = withFirstPage(this.items, page);
      if (first || page.next === undefined) this.#next = page.next;
      this.error = null;
      await this.#lookUpBeyond(
        touched.filter((id) => !page.items.some((item) => item.id === id) && this.byId(id) !== undefined),
      );
    } catch (error) {
      this.error = error instanceof ApiError ? error : null;
    } finally {
      this.loading = false;
    }
  }

  async loadMore(): Promise<void> {
    if (this.loadingMore || this.#next === undefined) return;
    this.loadingMore = true;
    try {
      const after = encodeURIComponent(this.#next);
      const page = await api.get<Page<ConversationSummary>>(
        `/api/conversations?limit=${String(PAGE_SIZE)}&after=${after}`,
      );
      const known = new Set(this.items.map(({ id }) => id));
      this.items = inOrder([...this.items, ...page.items.filter(({ id }) => !known.has(id))]);
      this.#next = page.next;
    } catch (error) {
      this.error = error instanceof ApiError ? error : null;
    } finally {
      this.loadingMore = false;
    }
  }

  /** Searches titles and messages; the answer to an older question never takes the place of a newer one's. */
  async search(query: string): Promise<void> {
    this.query = query;
    this.#search?.abort();
    if (query.trim() === '') {
      this.found = null;
      return;
    }
    const search = new AbortController();
    this.#search = search;
    try {
      const address = `/api/conversations?limit=${String(PAGE_SIZE)}&q=${encodeURIComponent(query.trim())}`;
      const page = await api.get<Page<ConversationSummary>>(address, { signal: search.signal });
      if (!search.signal.aborted) this.found = page.items;
    } catch (error) {
      if (!search.signal.aborted && error instanceof ApiError) this.error = error;
    }
  }

  async rename(id: string, title: string): Promise<void> {
    await this.#change(id, { title });
  }

  async pin(id: string, pinned: boolean): Promise<void> {
    await this.#change(id, { pinned });
  }

  /** The server keeps it for a while, so that {@link restore} can bring it back. */
  async remove(id: string): Promise<void> {
    const before = this.byId(id);
    this.#apply(id, null);
    try {
      await api.delete(`/api/conversations/${encodeURIComponent(id)}`);
    } catch (error) {
      if (before !== undefined) this.items = inOrder([...this.items, before]);
      throw error;
    }
  }

  async restore(id: string): Promise<void> {
    await api.post(`/api/conversations/${encodeURIComponent(id)}/restore`);
    await this.load();
  }

  async #change(id: string, change: { title?: string; pinned?: boolean }): Promise<void> {
    const before = this.byId(id);
    this.#apply(id, change);
    try {
      await api.patch(`/api/conversations/${encodeURIComponent(id)}`, change);
    } catch (error) {
      if (before !== undefined) this.#apply(id, before);
      throw error;
    }
  }

  #apply(id: string, change: Partial<ConversationSummary> | null): void {
    this.items = withItem(this.items, id, change);
    // What was found stays in the order of the search.
    if (this.found === null) return;
    this.found = this.found.flatMap((item) => {
      if (item.id !== id) return [item];
      return change === null ? [] : [{ ...item, ...change }];
    });
  }

  #applyRun(event: RunEvent): void {
    if (event.type === 'run_started') this.#conversationOfRun.set(event.runId, event.conversationId);
    const change = changeByRun(event);
    const id = this.#conversationOfRun.get(event.runId);
    if (event.type === 'run_finished') this.#conversationOfRun.delete(event.runId);
    if (change === null) return;
    if (id === undefined || this.byId(id) === undefined) this.#refreshSoon();
    else this.#apply(id, change);
  }

  #refreshSoon(): void {
    clearTimeout(this.#refreshing);
    this.#refreshing = setTimeout(() => {
      void this.load();
      if (this.query !== '') void this.search(this.query);
    }, REFRESH_AFTER_MS);
  }

  async #lookUpBeyond(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      try {
        const { title, pinned, updatedAt } = await api.get<ConversationView>(
          `/api/conversations/${encodeURIComponent(id)}`,
        );
        this.#apply(id, { title, pinned, updatedAt });
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) this.#apply(id, null);
      }
    }
  }
}

export const conversations = new Conversations();
