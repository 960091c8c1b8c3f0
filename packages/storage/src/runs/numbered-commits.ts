import type { CommitNumber, CommitOutcome } from '@toolyard/protocol';
import type { StorageEngine } from '../engine/engine.ts';
import type { StoreWork } from '../engine/work.ts';
import { MessageRefusal } from './message-rows.ts';

type Committed = Extract<CommitOutcome, { outcome: 'committed' }>;

export type NumberedCommits = {
  /** The stored response of this commit; null if it was not stored. */
  readAnswer(runId: string, fence: number, numbered: CommitNumber): StoreWork<Committed | null>;
  /** Throws {@link MessageRefusal} if another number was expected. */
  keep(
    numbered: CommitNumber,
    outcome: Committed,
    of: { runId: string; ownerId: string; fence: number },
  ): StoreWork<void>;
};

type Row = { number: number; digest: string; last_seq: number; inbox_waits: number };

/** Distinguishes a repeated commit from the next one. Use it within a transaction. */
export function createNumberedCommits(engine: StorageEngine): NumberedCommits {
  // Locks the run first: the same commit may be in another open transaction.
  const lockRun = engine.prepare(`SELECT 1 FROM runs WHERE id = ?${engine.sql.claimRow}`);
  const last = engine.prepare<Row>(
    'SELECT number, digest, last_seq, inbox_waits FROM tab_commits WHERE run_id = ? AND fence = ?',
  );
  const put = engine.prepare(`
    INSERT INTO tab_commits (run_id, owner_id, fence, number, digest, last_seq, inbox_waits) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (run_id) DO UPDATE SET fence = excluded.fence, number = excluded.number, digest = excluded.digest,
      last_seq = excluded.last_seq, inbox_waits = excluded.inbox_waits`);

  return {
    *readAnswer(runId, fence, { number, digest }) {
      yield* lockRun.get(runId);
      const stored = yield* last.get(runId, fence);
      if (stored?.number !== number || stored.digest !== digest) return null;
      const inboxWaits = stored.inbox_waits === 1 ? { inboxWaits: true as const } : {};
      return { outcome: 'committed', lastSeq: stored.last_seq, ...inboxWaits, again: true };
    },
    *keep({ number, digest }, { lastSeq, inboxWaits }, { runId, ownerId, fence }) {
      const due = ((yield* last.get(runId, fence))?.number ?? 0) + 1;
      if (number !== due) throw new MessageRefusal(`commit ${number} instead of ${due}`);
      yield* put.run(runId, ownerId, fence, number, digest, lastSeq, inboxWaits ? 1 : 0);
    },
  };
}
