import type { StoredInterrupt } from '@toolyard/protocol';

/** Open interrupts of all conversations. Updated by `inbox/inbox.svelte.ts`, which is loaded later. */
class Waiting {
  /** Oldest first. */
  open: readonly StoredInterrupt[] = $state.raw([]);
  /** Conversations with an open interrupt, including those of calls that are still executing. */
  readonly conversations: ReadonlySet<string> = $derived(
    new Set(this.open.map(({ conversationId }) => conversationId)),
  );

  /** The title of the page with the number of interrupts. */
  titled(title: string): string {
    return this.open.length === 0 ? title : `(${String(this.open.length)}) ${title}`;
  }
}

export const waiting = new Waiting();
