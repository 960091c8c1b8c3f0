import type { Owner } from '@toolyard/protocol';
import type { StorageEngine } from '../engine/engine.ts';
import { statements, transaction } from '../engine/work.ts';

/** `credential`: each has its own keys. */
export type IdempotencyKey = { credential: string; name: string };

export type IdempotencyRepository = {
  /**
   * Claims a key for a run, or returns what an earlier request has claimed it for after `since`; an older claim is
   * replaced.
   */
  claim(
    principal: Owner,
    key: IdempotencyKey,
    claim: { digest: string; runId: string; at: number; since: number },
  ): Promise<{ digest: string; runId: string; isNew: boolean }>;
  /** Releases a key whose run was not started. */
  release(principal: Owner, key: IdempotencyKey, runId: string): Promise<void>;
  /** Deletes keys of all owners that were claimed before this time. */
  sweep(before: number): Promise<void>;
};

export function createIdempotencyRepository(engine: StorageEngine): IdempotencyRepository {
  const own = 'owner_id = ? AND credential = ? AND name = ?';
  const insert = engine.prepare(`
    INSERT INTO idempotency_keys (owner_id, credential, name, digest, run_id, created_at) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (owner_id, credential, name) DO NOTHING`);
  const expire = engine.prepare(`DELETE FROM idempotency_keys WHERE ${own} AND created_at < ?`);
  const select = engine.prepare<{ digest: string; run_id: string }>(
    `SELECT digest, run_id FROM idempotency_keys WHERE ${own}`,
  );
  const remove = engine.prepare(`
    DELETE FROM idempotency_keys WHERE ${own} AND run_id = ? AND NOT EXISTS (SELECT 1 FROM runs WHERE id = ?)`);
  const sweep = engine.prepare('DELETE FROM idempotency_keys WHERE created_at < ?');

  return {
    async claim({ ownerId }, { credential, name }, { digest, runId, at, since }) {
      const key = [ownerId, credential, name];
      const job = transaction('idempotency-key', 'full', function* () {
        yield* expire.run(...key, since);
        const isNew = (yield* insert.run(...key, digest, runId, at)) === 1;
        const row = yield* select.get(...key);
        return { digest: row?.digest ?? digest, runId: row?.run_id ?? runId, isNew };
      });
      return engine.perform(job);
    },
    async release({ ownerId }, { credential, name }, runId) {
      await engine.perform(statements(() => remove.run(ownerId, credential, name, runId, runId)));
    },
    async sweep(before) {
      await engine.perform(statements(() => sweep.run(before)));
    },
  };
}
