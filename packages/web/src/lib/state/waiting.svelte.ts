import type { StoredInterrupt } from '@toolyard/protocol';

/** What people are asked, over all conversations. `inbox/inbox.svelte.ts`, which is loaded later, keeps it right. */
class Waiting {
  /** The oldest first. */
  open: readonly StoredInterrupt[] = $state.raw([]);
  /** Conversations in which somebody is asked, also in the middle of a call that goes on meanwhile. */
  readonly conversations: ReadonlySet<string> = $derived(
    new Set(this.open.map(({ conversationId }) => conversationId)),
  );

  /** The title of the page, with how many questions there are. */
  titled(title: string): string {
    return this.open.length === 0 ? title : `(${String(this.open.length)}) ${title}`;
  }
}

export const waiting = new Waiting();
