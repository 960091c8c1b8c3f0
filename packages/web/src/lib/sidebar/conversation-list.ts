import type { ConversationSummary, FactEvent, RunEvent } from '@toolyard/protocol';
import { ignoreEvent } from '@toolyard/protocol';

/** The order of the server: pinned conversations first, then by time. */
export function inOrder(a: ConversationSummary, b: ConversationSummary): number {
  return Number(b.pinned) - Number(a.pinned) || b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1);
}

/** Inserts, removes or replaces one conversation. */
export function withItem(
  items: readonly ConversationSummary[],
  id: string,
  change: Partial<ConversationSummary> | null,
): ConversationSummary[] {
  if (change === null) return items.filter((item) => item.id !== id);
  return items.map((item) => (item.id === id ? { ...item, ...change } : item)).toSorted(inOrder);
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
