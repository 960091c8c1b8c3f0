import type { Owner, SentMessage } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';

/** What an earlier sending of the same message came to; null where there was none. */
export async function findSentMessage(
  storage: Pick<SharedStorage, 'runs' | 'messages' | 'queue'>,
  principal: Owner,
  conversationId: string,
  id: string,
): Promise<SentMessage | null> {
  const queued = await storage.queue.get(principal, conversationId, id);
  if (queued) return { queued };
  const message = await storage.messages.get(principal, conversationId, id);
  if (message?.role !== 'user') return null;
  // What a run has heard while it was under way began none of its own.
  const runId = await storage.messages.runOf(principal, conversationId, id);
  const run = runId === null ? null : await storage.runs.getRun(principal, runId);
  return run ? { run, message } : null;
}
