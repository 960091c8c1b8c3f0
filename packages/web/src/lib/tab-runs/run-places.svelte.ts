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

  choose(place: RunPlace): void {
    this.chosen = place;
    kept.set(place);
  }
}

export const runPlaces = new RunPlaces();
