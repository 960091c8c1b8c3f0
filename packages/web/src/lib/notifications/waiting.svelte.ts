import type { RunStatus, StoredInterrupt } from '@toolyard/protocol';

/** Open interrupts of all conversations. Updated by `inbox/inbox.svelte.ts`, which is loaded later. */
class Waiting {
  /** Oldest first. */
  open: readonly StoredInterrupt[] = $state.raw([]);
  /** Conversations with an open interrupt, including those of calls that are still executing. */
  readonly conversations: ReadonlySet<string> = $derived(
    new Set(this.open.map(({ conversationId }) => conversationId)),
  );

  /** False until {@link open} has been loaded. */
  isKnown = $state(false);

  /** True if the user has to answer something. A run is also parked while it waits for its sub-agents. */
  isAsked(conversationId: string, status: RunStatus | undefined): boolean {
    return this.conversations.has(conversationId) || (status === 'parked' && !this.isKnown);
  }

  /** The title of the page with the number of interrupts. */
  titled(title: string): string {
    return this.open.length === 0 ? title : `(${String(this.open.length)}) ${title}`;
  }
}

export const waiting = new Waiting();
