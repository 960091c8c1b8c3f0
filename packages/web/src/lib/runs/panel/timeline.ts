import type { RunCall, RunModelCall, RunInterrupt, RunStep } from '@toolyard/protocol';
import { textOf } from '@toolyard/protocol';

/** An entry with a duration in a run. Times are milliseconds since 1970; `to` is null while it is in progress. */
export type Entry = { key: string; from: number; to: number | null; abandoned: boolean } & (
  | { kind: 'model'; step: number; model: RunModelCall }
  | { kind: 'tool'; call: RunCall }
  | { kind: 'wait'; runInterrupt: RunInterrupt }
  | { kind: 'compaction' }
  | { kind: 'steered'; text: string }
  | { kind: 'notice'; level: 'info' | 'warning'; text: string }
);

/** The entries of a run, in the order of their start. */
export function toTimeline(steps: readonly RunStep[]): Entry[] {
  // Entries that start together stay in the order of their step.
  return steps.flatMap(toEntries).toSorted((a, b) => a.from - b.from);
}

function toEntries(step: RunStep): Entry[] {
  const id = `${String(step.step)}.${String(step.attempt)}`;
  const abandoned = step.abandoned === true;
  const entries: Entry[] = [];
  if (step.model !== undefined) {
    const { model } = step;
    const from = step.startedAt;
    const to = model.durationMs === null ? (abandoned ? step.endedAt : null) : from + model.durationMs;
    entries.push({ kind: 'model', key: `${id}:model`, from, to, abandoned, step: step.step, model });
  } else if (step.instruction === 'compress_context') {
    entries.push({ kind: 'compaction', key: `${id}:compaction`, from: step.startedAt, to: step.endedAt, abandoned });
  }
  for (const message of step.steered) {
    const at = Math.max(step.startedAt, message.createdAt);
    const moment = { key: `${id}:${message.id}`, from: at, to: at, abandoned: false };
    entries.push({ ...moment, kind: 'steered', text: textOf(message) });
  }
  for (const runInterrupt of step.questions) {
    const { askedAt, closedAt, interrupt } = runInterrupt;
    const span = { key: `${id}:${interrupt.id}`, from: askedAt, to: closedAt, abandoned: false };
    entries.push({ ...span, kind: 'wait', runInterrupt });
  }
  for (const call of step.calls) {
    const from = call.startedAt ?? step.startedAt;
    const to = call.result === null ? (abandoned ? step.endedAt : null) : from + (call.durationMs ?? 0);
    entries.push({ kind: 'tool', key: `${id}:${call.callId}`, from, to, abandoned, call });
  }
  for (const [index, { level, text }] of step.notices.entries()) {
    const at = step.endedAt ?? step.startedAt;
    const moment = { key: `${id}:notice${String(index)}`, from: at, to: at, abandoned: false };
    entries.push({ ...moment, kind: 'notice', level, text });
  }
  return entries;
}

/** Waiting for a user may take weeks: a pause is drawn at most as long as this share of the execution time. */
const MAX_PAUSE = 0.12;

type Span = { from: number; to: number };

function workIn(entries: readonly Entry[], now: number): Span[] {
  return entries
    .filter(({ kind }) => kind === 'model' || kind === 'tool' || kind === 'compaction')
    .map(({ from, to }) => ({ from, to: to ?? now }));
}

function longestPause(work: readonly Span[]): number {
  return Math.max(1, work.reduce((sum, { from, to }) => sum + to - from, 0) * MAX_PAUSE);
}

/** Keys of the entries that {@link createScale} shortens: their bars need a mark. */
export function shortenedIn(entries: readonly Entry[], now: number): ReadonlySet<string> {
  const work = workIn(entries, now);
  const longest = longestPause(work);
  const shortened = entries.filter(({ kind, from, to }) => {
    const end = to ?? now;
    const overlap = work.reduce((sum, one) => sum + Math.max(0, Math.min(one.to, end) - Math.max(one.from, from)), 0);
    return kind === 'wait' && end - from - overlap > longest;
  });
  return new Set(shortened.map(({ key }) => key));
}

/** Maps times to 0..1: to scale for execution, shortened for waiting. */
export function createScale(entries: readonly Entry[], now: number): (at: number) => number {
  const work = workIn(entries, now);
  const edges = [...new Set(entries.flatMap(({ from, to }) => [from, to ?? now]))].toSorted((a, b) => a - b);
  const longest = longestPause(work);
  const places: { at: number; place: number }[] = [];
  let place = 0;
  for (const [index, at] of edges.entries()) {
    const before = edges[index - 1];
    if (before !== undefined) {
      const isBusy = work.some(({ from, to }) => from <= before && to >= at);
      place += isBusy ? at - before : Math.min(at - before, longest);
    }
    places.push({ at, place });
  }
  const whole = place === 0 ? 1 : place;
  return (at) => {
    const next = places.findIndex((each) => each.at >= at);
    const right = places[next];
    if (right === undefined) return 1;
    const left = places[next - 1];
    if (left === undefined || right.at === at) return right.place / whole;
    const share = (at - left.at) / (right.at - left.at);
    return (left.place + share * (right.place - left.place)) / whole;
  };
}
