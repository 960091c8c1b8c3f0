import type { ConversationSummary, FactEvent, RunEvent } from '@toolyard/protocol';
import { ignoreEvent } from '@toolyard/protocol';

/** The list as the server orders it: pinned ones first, then by time. */
export function inOrder(items: readonly ConversationSummary[]): ConversationSummary[] {
  return [...items].sort(
    (a, b) => Number(b.pinned) - Number(a.pinned) || b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1),
  );
}

/**
 * The first page fetched anew, over what was there: further pages stay, for they were fetched by scrolling and the
 * person may be looking at them. What the first page should hold and does not is gone.
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

/** One conversation put in, taken out or changed. */
export function withItem(
  items: readonly ConversationSummary[],
  id: string,
  change: Partial<ConversationSummary> | null,
): ConversationSummary[] {
  if (change === null) return items.filter((item) => item.id !== id);
  return inOrder(items.map((item) => (item.id === id ? { ...item, ...change } : item)));
}

/** What a run's event changes in the line of its conversation; null where it changes nothing. */
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
