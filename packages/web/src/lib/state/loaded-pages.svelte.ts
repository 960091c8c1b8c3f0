import type { Page } from '@toolyard/protocol';
import { toApiError } from './failure.ts';
import { Loaded, type Refresh } from './loaded.svelte.ts';

type Order<T> = (a: T, b: T) => number;

/** A list in pages. The resource is the first page; the others are loaded by scrolling and stay when it is loaded again. */
export class LoadedPages<T extends { id: string }> extends Loaded<Page<T>> {
  /** All loaded pages. */
  items: readonly T[] = $state.raw([]);
  #next: string | undefined = $state.raw(undefined);
  readonly hasMore: boolean = $derived(this.#next !== undefined);
  readonly #readPage: (after?: string) => Promise<Page<T>>;
  readonly #order: Order<T>;
  #isLoadingMore = false;

  /** @param order that of the server */
  constructor(readPage: (after?: string) => Promise<Page<T>>, order: Order<T>, refresh: Refresh) {
    super(() => readPage(), refresh);
    this.#readPage = readPage;
    this.#order = order;
  }

  protected override loaded(page: Page<T>): void {
    this.items = withFirstPage(this.items, page, this.#order);
    if (this.items.length === page.items.length) this.#next = page.next;
  }

  async loadMore(): Promise<void> {
    const next = this.#next;
    if (this.#isLoadingMore || next === undefined) return;
    this.#isLoadingMore = true;
    try {
      const page = await this.#readPage(next);
      if (this.#next !== next) return;
      const known = new Set(this.items.map(({ id }) => id));
      this.items = [...this.items, ...page.items.filter(({ id }) => !known.has(id))].toSorted(this.#order);
      this.#next = page.next;
    } catch (thrown) {
      this.error = toApiError(thrown);
    } finally {
      this.#isLoadingMore = false;
    }
  }

  /** Forgets everything, before another list is loaded. */
  protected clear(): void {
    [this.data, this.items, this.#next] = [null, [], undefined];
  }
}

/** The items after a first page was loaded again. Those that belong to it and are missing from it are removed. */
export function withFirstPage<T extends { id: string }>(known: readonly T[], page: Page<T>, order: Order<T>): T[] {
  const last = page.items.at(-1);
  if (page.next === undefined || last === undefined) return [...page.items];
  const fetched = new Set(page.items.map(({ id }) => id));
  return [...page.items, ...known.filter((item) => !fetched.has(item.id) && order(last, item) < 0)].toSorted(order);
}
