import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { JsonObject, Owner } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import { affectsRows } from '../engine/columns.ts';
import { mediaProblem } from '../media.ts';
import type { Schema } from '../schema.ts';
import { encodeJson } from '../text.ts';

/** The message being written in each conversation. `conversationId` null: in a new chat. */
export type DraftRepository = {
  get(principal: Owner, conversationId: string | null): Promise<{ draft: JsonObject; updatedAt: number } | null>;
  /**
   * Replaces the draft.
   * @throws ToolyardError `not_found` if the conversation does not exist, `bad_request` for large media.
   */
  set(principal: Owner, conversationId: string | null, draft: JsonObject, at: number): Promise<void>;
  remove(principal: Owner, conversationId: string | null): Promise<boolean>;
};

/** The expression of the index: a comparison with NULL would read the drafts of all conversations. */
const CONVERSATION = sql`coalesce(conversation_id, '')`;

export function createDraftRepository(db: Kysely<Schema>): DraftRepository {
  return {
    async get({ ownerId }, conversationId) {
      const row = await db
        .selectFrom('drafts')
        .select(['draft', 'updated_at'])
        .where('owner_id', '=', ownerId)
        .where(CONVERSATION, '=', conversationId ?? '')
        .executeTakeFirst();
      return row === undefined ? null : { draft: row.draft, updatedAt: row.updated_at };
    },
    async set({ ownerId }, conversationId, draft, at) {
      const text = encodeJson(draft);
      const problem = mediaProblem(text, draft);
      if (problem !== null) {
        throw new ToolyardError({ code: 'bad_request', message: `The draft was not stored: it ${problem}.` });
      }
      const { numAffectedRows } = await sql`
        INSERT INTO drafts (owner_id, conversation_id, draft, updated_at)
        SELECT ${ownerId}, CAST(${conversationId} AS TEXT), CAST(${text} AS TEXT), CAST(${at} AS BIGINT)
        WHERE CAST(${conversationId} AS TEXT) IS NULL
          OR EXISTS (SELECT 1 FROM conversations WHERE id = ${conversationId} AND owner_id = ${ownerId})
        ON CONFLICT (owner_id, coalesce(conversation_id, ''))
        DO UPDATE SET draft = excluded.draft, updated_at = excluded.updated_at`.execute(db);
      if (numAffectedRows === 1n) return;
      throw new ToolyardError({ code: 'not_found', message: `Conversation ${String(conversationId)} does not exist.` });
    },
    async remove({ ownerId }, conversationId) {
      return affectsRows(
        db
          .deleteFrom('drafts')
          .where('owner_id', '=', ownerId)
          .where(CONVERSATION, '=', conversationId ?? ''),
      );
    },
  };
}
