import type { AgentConfiguration, ModelReference, ResolvedAgentConfiguration } from '@toolyard/protocol';
import { DEFAULT_LIMITS, defaultSettings, defined, mergeBudgets } from '@toolyard/protocol';

/**
 * Merges layers of configuration; the later one wins: field by field, and key by key within parameters, limits,
 * servers and models of preset tasks. The rules of all layers apply together. `standardModel` is used where no layer names a model.
 */
export function resolveAgentConfig(
  layers: readonly AgentConfiguration[],
  standardModel: ModelReference | null,
): ResolvedAgentConfiguration {
  let resolved: ResolvedAgentConfiguration = {
    model: standardModel,
    ...defaultSettings(''),
    parameters: {},
    limits: DEFAULT_LIMITS,
    servers: {},
    disabledTools: [],
    interventionRules: [],
    budgets: [],
  };
  for (const layer of layers) {
    resolved = {
      ...resolved,
      ...layer,
      parameters: { ...resolved.parameters, ...layer.parameters },
      limits: { ...resolved.limits, ...layer.limits },
      servers: { ...resolved.servers, ...layer.servers },
      ...defined({ presetTasks: layer.presetTasks && { ...resolved.presetTasks, ...layer.presetTasks } }),
      interventionRules: [...resolved.interventionRules, ...(layer.interventionRules ?? [])],
      budgets: mergeBudgets(resolved.budgets, layer.budgets ?? []),
    };
  }
  return resolved;
}
