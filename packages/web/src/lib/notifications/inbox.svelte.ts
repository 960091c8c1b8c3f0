import type { ConversationView, Page, StoredInterrupt } from '@toolyard/protocol';
import { api } from '../api/client.ts';
import { live } from '../live/live.svelte.ts';
import { toApiError } from '../state/failure.ts';
import { Loaded } from '../state/loaded.svelte.ts';
import { notifications } from './notifications.svelte.ts';
import { waiting } from './waiting.svelte.ts';

const REFRESH_AFTER_MS = 120;

/** The open interrupts of all conversations. */
class Inbox extends Loaded<StoredInterrupt[]> {
  /** Titles of conversations that are not in the sidebar. */
  titles: Readonly<Record<string, string>> = $state.raw({});
  /** The conversations that started those of sub-agents. */
  parents: Readonly<Record<string, NonNullable<ConversationView['parent']>>> = $state.raw({});
  #seen: Set<string> | null = null;

  constructor() {
    super(readAll, { live, changes: ['interrupts'], delayMs: REFRESH_AFTER_MS });
  }

  protected override loaded(items: StoredInterrupt[]): void {
    const seen = this.#seen;
    const added = seen === null ? [] : items.filter(({ id }) => !seen.has(id));
    this.#seen = new Set([...(seen ?? []), ...items.map(({ id }) => id)]);
    waiting.open = items;
    waiting.isKnown = true;
    void notifications.notify(added);
  }

  /** Loads the title of a conversation; if that fails, the link has none. */
  async loadTitle(conversationId: string): Promise<void> {
    if (Object.hasOwn(this.titles, conversationId)) return;
    this.titles = { ...this.titles, [conversationId]: '' };
    try {
      const { title, parent } = await api.get('/api/conversations/{id}', { params: { id: conversationId } });
      this.titles = { ...this.titles, [conversationId]: title };
      if (parent) this.parents = { ...this.parents, [conversationId]: parent };
    } catch (thrown) {
      toApiError(thrown);
    }
  }
}

/** Loads all pages: the badge counts the interrupts, and notifications are about the newest, which come last. */
async function readAll(): Promise<StoredInterrupt[]> {
  const items: StoredInterrupt[] = [];
  let after: string | undefined;
  do {
    const page: Page<StoredInterrupt> = await api.get('/api/interrupts', { query: { limit: 500, after } });
    items.push(...page.items);
    after = page.next;
  } while (after !== undefined);
  return items;
}

export const inbox = new Inbox();
