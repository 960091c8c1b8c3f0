import type { EnduranceResult } from './endurance.ts';

/** One line for people: what was done, and what came of it. */
export function summaryOf({
  blows,
  runs,
  events,
  calls,
  doubts,
  said,
  heard,
  failovers,
  problems,
}: EnduranceResult): string {
  const times = failovers
    .filter(({ from, to }) => from !== to)
    .map(({ ms }) => ms)
    .toSorted((a, b) => a - b);
  const seconds = (ms: number | undefined): string => ((ms ?? 0) / 1000).toFixed(1);
  const middle = seconds(times[Math.floor(times.length / 2)]);
  return (
    `${String(blows)} blows; ${String(runs)} runs, ${String(events)} events, ${String(calls)} calls, ` +
    `${String(doubts)} of them in doubt; ${String(said)} messages said to runs under way, ${String(heard)} heard by them; ` +
    `${String(times.length)} runs went on elsewhere, after ${middle} s (median), ` +
    `${seconds(times.at(-1))} s (most); ${problems.length === 0 ? 'nothing amiss' : `${String(problems.length)} amiss`}`
  );
}
