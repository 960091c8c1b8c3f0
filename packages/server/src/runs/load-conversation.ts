import type { RunConversationOptions } from '@toolyard/agent-host/durable';
import { isSaid, RunConversation } from '@toolyard/agent-host/durable';
import type { Message, Owner } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';
import { withBlobsInPlace } from './run-media.ts';

/** The branch a run works on, as it is stored. */
export async function loadConversation(
  storage: Pick<SharedStorage, 'messages' | 'blobs'>,
  principal: Owner,
  options: RunConversationOptions,
): Promise<RunConversation> {
  const stored = await storage.messages.branch(principal, options.conversationId, options.leafId);
  const inPlace = (message: Message): Promise<Message> => withBlobsInPlace(message, storage.blobs, principal);
  return new RunConversation(options, await Promise.all(stored.filter(isSaid).map(inPlace)));
}
