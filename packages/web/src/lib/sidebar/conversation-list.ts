import type { ConversationSummary, FactEvent, RunEvent } from '@toolyard/protocol';
import { ignoreEvent } from '@toolyard/protocol';

/** Sorts the list like the server: pinned conversations first, then by time. */
export function inOrder(items: readonly ConversationSummary[]): ConversationSummary[] {
  return [...items].sort(
    (a, b) => Number(b.pinned) - Number(a.pinned) || b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1),
  );
}

/**
 * Merges a refreshed first page into the list: further pages stay, because they were loaded by scrolling and may be
 * visible. Conversations missing from the first page are removed.
 */
export function withFirstPage(
  known: readonly ConversationSummary[],
  page: { items: readonly ConversationSummary[]; next?: string },
): ConversationSummary[] {
  const last = page.items.at(-1);
  if (page.next === undefined || last === undefined) return [...page.items];
  const fetched = new Set(page.items.map(({ id }) => id));
  const beyond = known.filter((item) => !fetched.has(item.id) && inOrder([item, last])[0] === last);
  return inOrder([...page.items, ...beyond]);
}

/** Inserts, removes or replaces one conversation. */
export function withItem(
  items: readonly ConversationSummary[],
  id: string,
  change: Partial<ConversationSummary> | null,
): ConversationSummary[] {
  if (change === null) return items.filter((item) => item.id !== id);
  return inOrder(items.map((item) => (item.id === id ? { ...item, ...change } : item)));
}

/** What an event of a run changes in the item of its conversation; null if nothing. */
export function changeByRun(event: RunEvent): Partial<ConversationSummary> | null {
  switch (event.type) {
    case 'run_started':
      return { activeRun: { id: event.runId, status: 'running' }, updatedAt: event.at };
    case 'run_parked':
      return { activeRun: { id: event.runId, status: 'parked' } };
    case 'run_resumed':
      return { activeRun: { id: event.runId, status: 'running' } };
    case 'run_finished':
      return { activeRun: null };
    default:
      ignoreEvent<Exclude<FactEvent, 'run_started' | 'run_finished'>>(event);
      return null;
  }
}
