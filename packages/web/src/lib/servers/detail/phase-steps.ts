import type { McpPhase } from '@toolyard/protocol';

/** The phases with their durations; null for the last one, which is in progress. */
export function phaseSteps(
  phases: readonly { phase: McpPhase; at: number }[],
): { phase: McpPhase; ms: number | null }[] {
  return phases.map(({ phase, at }, index) => {
    const next = phases[index + 1];
    return { phase, ms: next === undefined ? null : next.at - at };
  });
}
