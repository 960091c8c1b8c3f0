import type { Message, UserMessage } from '@toolyard/protocol';
import { say } from '@toolyard/protocol';
import type { StoredConversation } from '@toolyard/storage';
import { createNotFoundError } from '../../errors.ts';
import type { StartRequest } from './start-run.ts';

/**
 * How to start the run that makes a call of the last answer. The call is the stored one, and asks whatever is allowed.
 *
 * @throws ToolyardError `not_found` if the answer has no such call
 */
export function makeUnmadeCall(of: {
  runId: string;
  conversation: StoredConversation;
  branch: readonly Message[];
  messageId: string;
  index: number;
}): StartRequest {
  const { runId, conversation, branch, messageId, index } = of;
  const answer = branch.find(({ id }) => id === messageId);
  const userMessage = branch.findLast((message): message is UserMessage => message.role === 'user');
  const call = answer?.role === 'assistant' ? answer.unmadeCalls?.[index] : undefined;
  if (answer?.role !== 'assistant' || call === undefined || userMessage === undefined) {
    throw createNotFoundError(say`The message ${messageId} has no call in its text with the number ${index}.`);
  }
  const leafId = answer.parentId ?? userMessage.id;
  return { runId, conversation, userMessage, begins: { with: 'answer', leafId }, makes: { answer, call } };
}
