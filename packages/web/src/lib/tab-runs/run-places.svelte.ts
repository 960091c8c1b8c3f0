import type { ApiError } from '../api/error.ts';
import { browserValue } from '../browser-storage.ts';

type RunPlace = 'server' | 'tab';

const kept = browserValue<RunPlace>('run-place', {
  version: 1,
  read: (value) => (value === 'server' || value === 'tab' ? value : undefined),
  fallback: 'server',
});

/** Where the runs of this tab's chats execute, and what is known of those whose loop is in a tab. */
class RunPlaces {
  /** What the person chose. */
  chosen: RunPlace = $state(kept.get());
  /** Runs whose loop is here. */
  mine: ReadonlySet<string> = $state.raw(new Set());
  /** Runs this tab had and has no more: why the server would not hear of them, null where another tab took them. */
  lost: ReadonlyMap<string, ApiError | null> = $state.raw(new Map());

  choose(place: RunPlace): void {
    this.chosen = place;
    kept.set(place);
  }

  lose(runId: string, why: ApiError | null): void {
    this.lost = new Map([...this.lost, [runId, why]]);
  }

  regain(runId: string): void {
    this.lost = new Map([...this.lost].filter(([id]) => id !== runId));
  }
}

export const runPlaces = new RunPlaces();
