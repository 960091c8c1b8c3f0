import type { AgentConfiguration } from '@toolyard/protocol';

/** How many things this layer decides, for the mark at the button. */
export function decidedCount(configuration: AgentConfiguration): number {
  const parameters = Object.values(configuration.parameters ?? {}).filter((value) => value !== undefined).length;
  return (
    parameters +
    Number(configuration.limits?.maxTurns !== undefined) +
    (configuration.budgets?.length ?? 0) +
    Number((configuration.instructions ?? '') !== '') +
    Number(configuration.toolMode !== undefined)
  );
}
