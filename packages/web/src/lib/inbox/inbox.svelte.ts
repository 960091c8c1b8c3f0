import type { ConversationView, Page, StoredInterrupt } from '@toolyard/protocol';
import type { api as realApi } from '../api/client.ts';
import type { ApiError } from '../api/error.ts';
import { asApiError } from '../state/failure.ts';
import type { live as realLive } from '../state/live.svelte.ts';

/** Changes come in bursts; one question answers them all. */
const REFRESH_AFTER_MS = 120;

export type InboxDeps = {
  api: Pick<typeof realApi, 'get'>;
  live: Pick<typeof realLive, 'onChanged' | 'onHello' | 'status'>;
  /** Hears what is open now; `fresh` has come since it was last told, nothing at first. */
  show: (open: readonly StoredInterrupt[], fresh: readonly StoredInterrupt[]) => void;
};

/** Keeps up with what people are asked, over all conversations. */
export class Inbox {
  /** False until the first answer. */
  known = $state(false);
  loading = $state(false);
  error: ApiError | null = $state.raw(null);
  /** Titles of conversations that are not in the sidebar. */
  titles: Readonly<Record<string, string>> = $state.raw({});
  readonly #deps: InboxDeps;
  #asked = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #seen = new Set<string>();

  constructor(deps: InboxDeps) {
    this.#deps = deps;
  }

  start(): void {
    const { live } = this.#deps;
    live.onHello(() => this.#soon());
    live.onChanged(({ what }) => {
      if (what === 'interrupts') this.#soon();
    });
    // Otherwise the first word of the stream loads it.
    if (live.status === 'open') void this.load();
  }

  async load(): Promise<void> {
    const ticket = ++this.#asked;
    this.loading = true;
    try {
      const items = await this.#allOpen();
      if (ticket !== this.#asked) return;
      const fresh = this.known ? items.filter(({ id }) => !this.#seen.has(id)) : [];
      for (const { id } of items) this.#seen.add(id);
      this.known = true;
      this.error = null;
      this.#deps.show(items, fresh);
    } catch (thrown) {
      if (ticket === this.#asked) this.error = asApiError(thrown);
    } finally {
      if (ticket === this.#asked) this.loading = false;
    }
  }

  /** Asks for the title of a conversation nobody has loaded; where it cannot be had the link goes without. */
  async lookUp(conversationId: string): Promise<void> {
    if (Object.hasOwn(this.titles, conversationId)) return;
    this.titles = { ...this.titles, [conversationId]: '' };
    try {
      const path = `/api/conversations/${encodeURIComponent(conversationId)}`;
      const { title } = await this.#deps.api.get<ConversationView>(path);
      this.titles = { ...this.titles, [conversationId]: title };
    } catch (thrown) {
      asApiError(thrown);
    }
  }

  /** All of them: the badge counts them, and the newest, which stand last, are those to be told of. */
  async #allOpen(): Promise<StoredInterrupt[]> {
    const items: StoredInterrupt[] = [];
    let after: string | undefined;
    do {
      const query = new URLSearchParams({ limit: '500', ...(after === undefined ? {} : { after }) });
      const page: Page<StoredInterrupt> = await this.#deps.api.get(`/api/interrupts?${query.toString()}`);
      items.push(...page.items);
      after = page.next;
    } while (after !== undefined);
    return items;
  }

  #soon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.load(), REFRESH_AFTER_MS);
  }
}
