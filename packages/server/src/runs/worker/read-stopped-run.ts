import type { StoppedRun } from '@toolyard/agent-host/durable';
import type { LeasedRun, Owner } from '@toolyard/protocol';
import { defined, isJsonObject } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';

/** Where a run stopped that cannot continue, from its events and its row only. */
export async function readStoppedRun(
  { messages, runs }: Pick<SharedStorage, 'runs' | 'messages'>,
  { id, ownerId, conversationId, state }: LeasedRun,
  storedSeq: number,
): Promise<StoppedRun> {
  const principal: Owner = { ownerId };
  const [last] = (await runs.readEvents(principal, id, storedSeq - 1, 1)) ?? [];
  const stamp = { step: last?.step ?? 0, attempt: last?.attempt ?? 1 };

  const shownId = isJsonObject(state) ? state['shownId'] : null;
  const shown = typeof shownId === 'string' ? await messages.get(principal, conversationId, shownId) : null;
  if (shown?.role !== 'assistant' || shown.finishReason !== 'pending' || shown.parentId === null) {
    return { stamp, placeholder: null };
  }
  return {
    stamp,
    placeholder: { id: shown.id, parentId: shown.parentId, model: shown.model, ...defined({ agent: shown.agent }) },
  };
}
