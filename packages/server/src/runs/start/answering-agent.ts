import type { Message, Owner } from '@toolyard/protocol';
import type { StoredConversation, SharedStorage } from '@toolyard/storage';

/**
 * The agent that gave the last of these answers, if it is not that of the conversation and still exists: it answers
 * again. A group decides itself who answers.
 */
export async function answeringAgent(
  { agents }: Pick<SharedStorage, 'agents'>,
  principal: Owner,
  conversation: Pick<StoredConversation, 'agentId' | 'groupId'>,
  messages: readonly Message[],
): Promise<{ agentId?: string }> {
  if (conversation.groupId !== null) return {};
  const last = messages.findLast((message) => message.role === 'assistant' || message.role === 'user');
  const id = last?.role === 'assistant' ? last.agent?.id : undefined;
  if (id === undefined || id === conversation.agentId) return {};
  return (await agents.get(principal, id)) === null ? {} : { agentId: id };
}
