import type { AgentConfiguration, ModelReference, Owner } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import type { Storage } from '@toolyard/storage';
import type { Configurations } from '../services.ts';
import { readStoredConfiguration } from './agent-configuration.ts';
import { DEFAULTS_KEY, findBudgetLayer } from './raised-budget.ts';
import { resolveAgentConfig } from './resolve-agent-config.ts';

export type ConfigurationsOptions = {
  storage: Pick<Storage, 'settings' | 'agents' | 'conversations'>;
  /** The defaults of the configuration file; they override those stored by the page. */
  fileDefaults: AgentConfiguration;
  /** The model used if no layer names one. */
  standardModel: (principal: Owner) => Promise<ModelReference | null>;
};

/** Reads stored settings and agents, and the configuration file. */
export function createConfigurations(options: ConfigurationsOptions): Configurations {
  const { storage, fileDefaults, standardModel } = options;

  async function agentLayer(principal: Owner, agentId: string | null): Promise<AgentConfiguration[]> {
    if (agentId === null) return [];
    const agent = await storage.agents.get(principal, agentId);
    if (agent === null) {
      throw new ToolyardError({
        code: 'not_found',
        message: `There is no agent ${agentId}.`,
        hint: 'Choose another agent for this conversation, or no agent.',
      });
    }
    return [readStoredConfiguration(agent.configuration)];
  }

  return {
    async resolve(principal, { agentId, conversation, run }) {
      const layers = [
        readStoredConfiguration(await storage.settings.get(principal, DEFAULTS_KEY)),
        fileDefaults,
        ...(await agentLayer(principal, agentId)),
        ...(conversation === undefined ? [] : [readStoredConfiguration(conversation)]),
        ...(run === undefined ? [] : [readStoredConfiguration(run)]),
      ];
      const named = layers.some(({ model }) => model !== undefined);
      return resolveAgentConfig(layers, named ? null : await standardModel(principal));
    },
    whereToRaise: (...of) => findBudgetLayer({ storage, fileDefaults }, ...of),
  };
}
