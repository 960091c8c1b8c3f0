import type { EnduranceResult } from './endurance.ts';

/** A summary in one line. */
export function formatSummary({
  faults,
  runs,
  subAgents,
  scheduled,
  events,
  calls,
  doubts,
  steered,
  received,
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
    `${String(faults)} faults; ${String(runs)} runs (${String(subAgents)} sub-agents, ${String(scheduled)} scheduled), ${String(events)} events, ${String(calls)} calls, ` +
    `${String(doubts)} of them in doubt; ${String(steered)} messages steered into runs, ${String(received)} of them received; ` +
    `${String(times.length)} failovers after ${middle} s (median), ` +
    `${seconds(times.at(-1))} s (maximum); ${problems.length === 0 ? 'no problems' : `${String(problems.length)} problems`}`
  );
}
