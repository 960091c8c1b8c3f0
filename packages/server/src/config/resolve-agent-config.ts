import type { AgentConfiguration, ModelReference, ResolvedAgentConfiguration } from '@toolyard/protocol';
import { DEFAULT_LIMITS, mergeBudgets } from '@toolyard/protocol';

/**
 * Joins layers of configuration, the later one winning: field by field, and key by key within parameters, limits and
 * servers. Rules add up: none is lost to a layer above. `standardModel` is used where no layer names a model.
 */
export function resolveAgentConfig(
  layers: readonly AgentConfiguration[],
  standardModel: ModelReference | null,
): ResolvedAgentConfiguration {
  const resolved: ResolvedAgentConfiguration = {
    model: standardModel,
    instructions: '',
    parameters: {},
    limits: DEFAULT_LIMITS,
    toolMode: 'native',
    servers: {},
    disabledTools: [],
    intervention: 'manual',
    interventionRules: [],
    budgets: [],
  };
  for (const layer of layers) {
    const { model, instructions, parameters, limits, toolMode, servers, disabledTools } = layer;
    const { intervention, interventionRules, lostRules, budgets } = layer;
    if (model !== undefined) resolved.model = model;
    if (instructions !== undefined) resolved.instructions = instructions;
    if (parameters !== undefined) resolved.parameters = { ...resolved.parameters, ...parameters };
    if (limits !== undefined) resolved.limits = { ...resolved.limits, ...limits };
    if (toolMode !== undefined) resolved.toolMode = toolMode;
    if (servers !== undefined) resolved.servers = { ...resolved.servers, ...servers };
    if (disabledTools !== undefined) resolved.disabledTools = disabledTools;
    const { historyMessages, inputTemplate, examples } = layer;
    if (historyMessages !== undefined) resolved.historyMessages = historyMessages;
    if (inputTemplate !== undefined) resolved.inputTemplate = inputTemplate;
    if (examples !== undefined) resolved.examples = examples;
    if (intervention !== undefined) resolved.intervention = intervention;
    if (interventionRules !== undefined) {
      resolved.interventionRules = [...resolved.interventionRules, ...interventionRules];
    }
    if (lostRules !== undefined) resolved.lostRules = lostRules;
    if (budgets !== undefined) resolved.budgets = mergeBudgets(resolved.budgets, budgets);
  }
  return resolved;
}
