import type { RunRecord } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';

/** Only fields that the owner may see: a leased record also contains internal state. */
export function toRunView(run: RunRecord): RunRecord {
  const { id, ownerId, conversationId, agentId, parentRunId, place } = run;
  const { status, lastSeq, createdAt, updatedAt, endedAt, startedBy } = run;
  return {
    id,
    ownerId,
    conversationId,
    agentId,
    parentRunId,
    place,
    status,
    lastSeq,
    createdAt,
    updatedAt,
    endedAt,
    ...defined({ startedBy }),
  };
}
