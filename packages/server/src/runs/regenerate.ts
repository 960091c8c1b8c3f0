import type { AgentConfiguration, Owner } from '@toolyard/protocol';
import { defined, ToolyardError } from '@toolyard/protocol';
import type { StoredConversation, SharedStorage } from '@toolyard/storage';
import type { StartRequest } from './start-run.ts';

/** How the run is started that answers anew what `messageId` is an answer to. @throws ToolyardError where it is none */
export async function regenerateConfiguration(
  storage: Pick<SharedStorage, 'messages'>,
  principal: Owner,
  of: { runId: string; conversation: StoredConversation; messageId: string; configuration?: AgentConfiguration },
): Promise<StartRequest> {
  const { runId, conversation, messageId, configuration } = of;
  const answered = await storage.messages.get(principal, conversation.id, messageId);
  if (!answered) throw new ToolyardError({ code: 'not_found', message: `There is no message ${messageId}.` });
  const branch = await storage.messages.branch(principal, conversation.id, messageId);
  const question = branch.findLast((each) => each.role === 'user');
  if (answered.role === 'user' || answered.role === 'system' || !question) {
    throw new ToolyardError({
      code: 'bad_request',
      message: 'Only an answer can be made anew.',
      hint: 'To ask something else, edit the message and send it again.',
    });
  }
  return {
    runId,
    conversation,
    question,
    begins: { with: 'answer', leafId: question.id },
    ...defined({ configuration }),
  };
}
