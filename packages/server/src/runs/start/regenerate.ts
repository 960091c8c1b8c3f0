import type { AgentConfiguration, Owner } from '@toolyard/protocol';
import { defined, say } from '@toolyard/protocol';
import type { StoredConversation, SharedStorage } from '@toolyard/storage';
import { createInvalidError, createNotFoundError } from '../../errors.ts';
import { answeringAgent } from './answering-agent.ts';
import type { StartRequest } from './start-run.ts';

/** How to start the run that regenerates the answer `messageId`. @throws ToolyardError if it is not an answer */
export async function regenerateConfiguration(
  storage: Pick<SharedStorage, 'messages' | 'agents'>,
  principal: Owner,
  of: { runId: string; conversation: StoredConversation; messageId: string; configuration?: AgentConfiguration },
): Promise<StartRequest> {
  const { runId, conversation, messageId, configuration } = of;
  const answered = await storage.messages.get(principal, conversation.id, messageId);
  if (!answered) throw createNotFoundError(say`There is no message ${messageId}.`);
  const branch = await storage.messages.branch(principal, conversation.id, messageId);
  const userMessage = branch.findLast((each) => each.role === 'user');
  if (answered.role === 'user' || answered.role === 'system' || !userMessage) {
    throw createInvalidError(
      say`Only an answer can be regenerated.`,
      say`To ask something else, edit the message and send it.`,
    );
  }
  return {
    runId,
    conversation,
    userMessage,
    begins: { with: 'answer', leafId: userMessage.id },
    ...defined({ configuration }),
    ...(await answeringAgent(storage, principal, conversation, branch)),
  };
}
