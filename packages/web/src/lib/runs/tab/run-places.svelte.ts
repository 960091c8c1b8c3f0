import type { ApiError } from '../../api/error.ts';
import { browserValue } from '../../browser-storage.ts';

type RunPlace = 'server' | 'tab';

const stored = browserValue<RunPlace>('run-place', {
  version: 1,
  read: (value) => (value === 'server' || value === 'tab' ? value : undefined),
  fallback: 'server',
});

/** Where the runs of this tab's chats execute, and the state of those that execute in a tab. */
class RunPlaces {
  /** The user's choice. */
  chosen: RunPlace = $state(stored.get());
  /** Runs executing in this tab. */
  mine: ReadonlySet<string> = $state.raw(new Set());
  /** Runs this tab has lost: with the reason if the server rejected its commits, null if another tab took over. */
  lost: ReadonlyMap<string, ApiError | null> = $state.raw(new Map());

  choose(place: RunPlace): void {
    this.chosen = place;
    stored.set(place);
  }

  markLost(runId: string, why: ApiError | null): void {
    this.lost = new Map([...this.lost, [runId, why]]);
  }

  clearLost(runId: string): void {
    this.lost = new Map([...this.lost].filter(([id]) => id !== runId));
  }
}

export const runPlaces = new RunPlaces();
