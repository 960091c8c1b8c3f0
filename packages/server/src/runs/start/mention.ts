import type { AgentReference, Owner } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';
import { toReference } from '../../config/configurations.ts';

/** The mentioned agent as the message keeps it; absent without one, and if it is missing, which the start reports. */
export async function getMention(
  principal: Owner,
  agentId: string | undefined,
  agents: Pick<SharedStorage['agents'], 'get'>,
): Promise<{ mention?: AgentReference }> {
  const agent = agentId === undefined ? null : await agents.get(principal, agentId);
  return agent === null ? {} : { mention: toReference(agent) };
}
