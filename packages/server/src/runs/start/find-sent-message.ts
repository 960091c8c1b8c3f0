import type { Owner, SentMessage } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';

/** The result of an earlier submission of the same message; null if there was none. */
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
  // A steering message did not start its own run.
  const runId = await storage.messages.findRunId(principal, conversationId, id);
  const run = runId === null ? null : await storage.runs.getRun(principal, runId);
  return run ? { run, message } : null;
}
