import type { McpPhase } from '@toolyard/protocol';

/** The phases with how long each took; null of the last one, which has not ended. */
export function phaseSteps(
  phases: readonly { phase: McpPhase; at: number }[],
): { phase: McpPhase; ms: number | null }[] {
  return phases.map(({ phase, at }, index) => {
    const next = phases[index + 1];
    return { phase, ms: next === undefined ? null : next.at - at };
  });
}
