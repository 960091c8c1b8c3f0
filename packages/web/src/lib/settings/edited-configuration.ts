import type { AgentConfiguration } from '@toolyard/protocol';

type EditedKey = 'instructions' | 'parameters' | 'limits' | 'toolMode' | 'intervention' | 'budgets';

/**
 * The part of a configuration the form edits: all its keys are there, so that one given back to the layers below is
 * told as undefined instead of being left as it was.
 */
export type EditedConfiguration = { [K in EditedKey]: AgentConfiguration[K] | undefined };

export function edited(configuration: AgentConfiguration): EditedConfiguration {
  const { instructions, parameters, limits, toolMode, intervention, budgets } = configuration;
  return { instructions, parameters, limits, toolMode, intervention, budgets };
}
