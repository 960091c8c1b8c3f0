import type { AgentConfiguration, ModelReference, ResolvedAgentConfiguration } from '@toolyard/protocol';
import { DEFAULT_LIMITS } from '@toolyard/protocol';

/**
 * Joins layers of configuration, the later one winning: field by field, and key by key within parameters, limits and
 * servers. `standardModel` is used where no layer names a model.
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
  };
  for (const { model, instructions, parameters, limits, toolMode, servers, disabledTools, intervention } of layers) {
    if (model !== undefined) resolved.model = model;
    if (instructions !== undefined) resolved.instructions = instructions;
    if (parameters !== undefined) resolved.parameters = { ...resolved.parameters, ...parameters };
    if (limits !== undefined) resolved.limits = { ...resolved.limits, ...limits };
    if (toolMode !== undefined) resolved.toolMode = toolMode;
    if (servers !== undefined) resolved.servers = { ...resolved.servers, ...servers };
    if (disabledTools !== undefined) resolved.disabledTools = disabledTools;
    if (intervention !== undefined) resolved.intervention = intervention;
  }
  return resolved;
}
