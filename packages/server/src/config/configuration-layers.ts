import type { AgentConfiguration } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import type { StoredConversation } from '@toolyard/storage';
import type { ConfigurationLayers } from '../services.ts';
import { readStoredConfiguration } from './agent-configuration.ts';

/** The layers of a run. `agentId`: the agent that answers, if it is not that of the conversation. */
export function getLayers(
  conversation: Pick<StoredConversation, 'agentId' | 'configuration'>,
  {
    agentId = conversation.agentId,
    run,
  }: { agentId?: string | null | undefined; run?: AgentConfiguration | undefined },
): ConfigurationLayers {
  return {
    agentId,
    answersOnce: agentId !== conversation.agentId,
    conversation: readStoredConfiguration(conversation.configuration),
    ...defined({ run }),
  };
}
