import type { ApiError } from '../api/error.ts';
import { stored } from '../browser-storage.ts';

type RunPlace = 'server' | 'tab';

const kept = stored<RunPlace>('run-place', {
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
  /** Runs this tab had, and why the server would not hear of them from it any more. */
  refused: ReadonlyMap<string, ApiError> = $state.raw(new Map());

  choose(place: RunPlace): void {
    this.chosen = place;
    kept.set(place);
  }

  refuse(runId: string, why: ApiError | null): void {
    const others = [...this.refused].filter(([id]) => id !== runId);
    this.refused = new Map(why ? [...others, [runId, why]] : others);
  }
}

export const runPlaces = new RunPlaces();
