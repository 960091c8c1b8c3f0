import type { AgentConfiguration, AgentReference, ModelReference, Owner } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import type { Storage, StoredAgent } from '@toolyard/storage';
import type { Configurations } from '../services.ts';
import { readStoredConfiguration } from './agent-configuration.ts';
import { readStoredProfile } from './agent-profile.ts';
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

  return {
    async resolve(principal, { agentId, answersOnce = false, conversation, run }) {
      const agent = agentId === null ? null : await storage.agents.get(principal, agentId);
      const ofAgent = agent === null ? {} : readStoredConfiguration(agent.configuration);
      const ofConversation = readStoredConfiguration(conversation);
      const layers = [
        readStoredConfiguration(await storage.settings.get(principal, DEFAULTS_KEY)),
        fileDefaults,
        ...(answersOnce ? [ofConversation, ofAgent, whereAsked(ofConversation)] : [ofAgent, ofConversation]),
        ...(run === undefined ? [] : [readStoredConfiguration(run)]),
      ];
      const named = layers.some(({ model }) => model !== undefined);
      const resolved = resolveAgentConfig(layers, named ? null : await standardModel(principal));
      return agent === null ? resolved : { ...resolved, agent: toReference(agent) };
    },
    whereToRaise: (...of) => findBudgetLayer({ storage, fileDefaults }, ...of),
  };
}

/** Of a conversation that another agent answers once, these apply whatever that agent has. */
function whereAsked({ intervention, workspace }: AgentConfiguration): AgentConfiguration {
  return defined({ intervention, workspace });
}

export function toReference({ id, title, profile }: StoredAgent): AgentReference {
  return { id, title, ...defined({ avatar: readStoredProfile(profile).avatar }) };
}
