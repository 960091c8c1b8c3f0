import type { RunRecord } from '@toolyard/protocol';

/** Only what a run's owner may see, whatever else the record at hand holds: a leased one has its state with it. */
export function toRunView(run: RunRecord): RunRecord {
  const { id, ownerId, conversationId, agentId, parentRunId, place } = run;
  const { status, lastSeq, createdAt, updatedAt, endedAt } = run;
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
  };
}
