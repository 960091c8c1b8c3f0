import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { Owner } from '@toolyard/protocol';
import { affectsRows } from '../engine/columns.ts';
import type { Schema } from '../schema.ts';
import { scrubText } from '../text.ts';

/** What a model remembered for a user, and where it did. */
export type StoredMemory = {
  id: string;
  text: string;
  /** The call that stored it; null if no run made it. */
  source: { conversationId: string; runId: string; callId: string } | null;
  /** Of the source; null if that conversation was deleted. */
  conversationTitle: string | null;
  createdAt: number;
  /** Later than {@link createdAt} if the text was changed. */
  updatedAt: number;
};

export type MemoryRepository = {
  /** Newest first. */
  list(principal: Owner): Promise<StoredMemory[]>;
  /** False, without a change, if the owner has this text or `max` memories already. */
  add(
    principal: Owner,
    memory: Pick<StoredMemory, 'id' | 'text' | 'source'> & { at: number },
    max: number,
  ): Promise<boolean>;
  update(principal: Owner, id: string, text: string, at: number): Promise<boolean>;
  remove(principal: Owner, id: string): Promise<boolean>;
  /** Returns how many there were. */
  removeAll(principal: Owner): Promise<number>;
};

export function createMemoryRepository(db: Kysely<Schema>): MemoryRepository {
  return {
    async list({ ownerId }) {
      const rows = await db
        .selectFrom('memories as m')
        .leftJoin('conversations as c', (join) =>
          join
            .onRef('c.id', '=', 'm.conversation_id')
            .onRef('c.owner_id', '=', 'm.owner_id')
            .on('c.deleted_at', 'is', null),
        )
        .select(['m.id', 'm.text', 'm.conversation_id as conversationId', 'm.run_id as runId', 'm.call_id as callId'])
        .select(['m.created_at as createdAt', 'm.updated_at as updatedAt', 'c.title as conversationTitle'])
        .where('m.owner_id', '=', ownerId)
        .orderBy('m.created_at', 'desc')
        .orderBy('m.id', 'desc')
        .execute();
      return rows.map(({ conversationId, runId, callId, ...row }) => ({
        ...row,
        source: conversationId === null || runId === null || callId === null ? null : { conversationId, runId, callId },
      }));
    },
    async add({ ownerId }, { id, text, source, at }, max) {
      const { conversationId = null, runId = null, callId = null } = source ?? {};
      const scrubbed = scrubText(text);
      const { numAffectedRows } = await sql`
        INSERT INTO memories (id, owner_id, text, conversation_id, run_id, call_id, created_at, updated_at)
        SELECT CAST(${id} AS TEXT), CAST(${ownerId} AS TEXT), CAST(${scrubbed} AS TEXT), CAST(${conversationId} AS TEXT),
          CAST(${runId} AS TEXT), CAST(${callId} AS TEXT), CAST(${at} AS BIGINT), CAST(${at} AS BIGINT)
        WHERE NOT EXISTS (SELECT 1 FROM memories WHERE owner_id = ${ownerId} AND text = ${scrubbed})
          AND (SELECT count(*) FROM memories WHERE owner_id = ${ownerId}) < CAST(${max} AS BIGINT)`.execute(db);
      return numAffectedRows === 1n;
    },
    async update({ ownerId }, id, text, at) {
      return affectsRows(
        db
          .updateTable('memories')
          .set({ text: scrubText(text), updated_at: at })
          .where('id', '=', id)
          .where('owner_id', '=', ownerId),
      );
    },
    async remove({ ownerId }, id) {
      return affectsRows(db.deleteFrom('memories').where('id', '=', id).where('owner_id', '=', ownerId));
    },
    async removeAll({ ownerId }) {
      const result = await db.deleteFrom('memories').where('owner_id', '=', ownerId).executeTakeFirst();
      return Number(result.numDeletedRows);
    },
  };
}
