import { isDeepStrictEqual } from 'node:util';
import type { ConversationView, RunEvent, StoredInterrupt } from '@toolyard/protocol';
import type { Lives } from '../support/lives.ts';
import { applied, misspelt } from '../support/transcript.ts';

/** What is left when a scenario is over: the events that were read of each run, what is stored, and the tool's own log. */
export type Remains = {
  runs: readonly (readonly RunEvent[])[];
  view: ConversationView;
  answered: readonly StoredInterrupt[];
  lives: Pick<Lives, 'made' | 'counted' | 'faults'>;
  /** How many calls the scenario makes, numbered by their argument `n` from 1 on; null: the tool does not count each. */
  calls: number | null;
};

/** The checks after every scenario, whatever fault was injected: what is wrong, or nothing. */
export function problemsIn({ runs, view, answered, lives, calls }: Remains): string[] {
  const events = runs.flat();
  const { page, activeRun, interrupts, queue } = view;
  const isOver = activeRun === null && interrupts.length === 0 && queue.length === 0;
  const abandoned = page.abandoned.filter(({ finishReason }) => finishReason !== 'abandoned');
  return [
    ...(isOver ? [] : ['something is still in progress']),
    ...runs.flatMap(misnumbered),
    ...repeated(events),
    ...misspelt(events).map((what) => `the deltas of a message do not spell it: ${what}`),
    ...(isDeepStrictEqual(applied(events), page.messages) ? [] : ['applying the events gives another transcript']),
    ...abandoned.map(({ id }) => `the abandoned message ${id} says that it is complete`),
    ...(calls === null ? [] : effectsBeyondConsent(calls, lives.made, answered)),
    ...(calls === null || lives.counted === lives.made.length
      ? []
      : [`the tool counted ${lives.counted} of ${lives.made.length} calls`]),
    ...lives.faults.map((fault) => `the model was sent a malformed history: ${fault}`),
  ];
}

/** Gaps and repetitions in what a reader got. */
function misnumbered(events: readonly RunEvent[]): string[] {
  return events.flatMap(({ seq }, index) => (seq === index + 1 ? [] : [`event ${index + 1} has the number ${seq}`]));
}

/** Events of which there is one each: an interrupt requested or answered, a message heard, a compaction. */
function repeated(events: readonly RunEvent[]): string[] {
  const seen = new Set<string>();
  return events.flatMap((event) => {
    const key = keyOf(event);
    if (key === null) return [];
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew ? [] : [`sent twice: ${key}`];
  });
}

function keyOf(event: RunEvent): string | null {
  switch (event.type) {
    case 'interrupt_requested':
      return `the request of ${event.interrupt.id}`;
    case 'interrupt_answered':
      return `the answer to ${event.interruptId}`;
    case 'steered':
      return `the message ${event.message.id}`;
    case 'compression_finished':
      return `the compaction up to ${event.message.folds?.upTo ?? ''}`;
    default:
      return null;
  }
}

/** Calls that took effect more or less often than once, besides those the user decided about. */
function effectsBeyondConsent(calls: number, made: readonly number[], answered: readonly StoredInterrupt[]): string[] {
  return Array.from({ length: calls }, (_none, index) => index + 1).flatMap((n) => {
    const effects = made.filter((each) => each === n).length;
    const decisions = doubtsAbout(n, answered).map(({ answer }) => answer?.decision);
    const most = 1 + decisions.filter((decision) => decision === 'repeat').length;
    const least = decisions.length === 0 || decisions.at(-1) === 'repeat' ? 1 : 0;
    if (effects >= least && effects <= most) return [];
    return [`call ${n} took effect ${effects} times; the user decided: ${decisions.join() || 'nothing'}`];
  });
}

export function isDoubt({ interrupt }: StoredInterrupt): boolean {
  return interrupt.kind === 'in_doubt';
}

export function doubtsAbout(n: number, answered: readonly StoredInterrupt[]): StoredInterrupt[] {
  return answered.filter(({ interrupt }) => interrupt.kind === 'in_doubt' && interrupt.arguments['n'] === n);
}
