import type { Kysely, Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Owner } from '@toolyard/protocol';
import { ToolyardError, say } from '@toolyard/protocol';
import { affectsRows } from '../engine/columns.ts';
import type { Schema } from '../schema.ts';
import { scrubText } from '../text.ts';

/** A translation of a message. `from` null: the language of the message is not known. */
export type StoredTranslation = { messageId: string; from: string | null; to: string; content: string };

/** The result of detection or of translation: each keeps what the other has stored. */
export type TranslationChange = { at: number } & ({ from: string | null } | { to: string; content: string });

/** One translation per message: another one replaces it. */
export type TranslationRepository = {
  list(principal: Owner, conversationId: string): Promise<StoredTranslation[]>;
  /**
   * Stores a language or a translation.
   * @throws ToolyardError `not_found` if the message does not exist.
   */
  change(principal: Owner, conversationId: string, messageId: string, change: TranslationChange): Promise<void>;
  remove(principal: Owner, conversationId: string, messageId: string): Promise<boolean>;
};

export function createTranslationRepository(db: Kysely<Schema>): TranslationRepository {
  return {
    async list({ ownerId }, conversationId) {
      const rows = await db
        .selectFrom('translations')
        .selectAll()
        .where('conversation_id', '=', conversationId)
        .where('owner_id', '=', ownerId)
        .orderBy('message_id')
        .execute();
      return rows.flatMap(toTranslation);
    },
    async change({ ownerId }, conversationId, messageId, change) {
      const [from, to, content] =
        'content' in change ? [null, change.to, scrubText(change.content)] : [change.from, null, null];
      const update =
        'content' in change
          ? sql`to_language = excluded.to_language, translated = excluded.translated`
          : sql`from_language = excluded.from_language`;
      const { numAffectedRows } = await sql`
        INSERT INTO translations (conversation_id, message_id, owner_id, from_language, to_language, translated, updated_at)
        SELECT conversation_id, id, owner_id, CAST(${from} AS TEXT), CAST(${to} AS TEXT), CAST(${content} AS TEXT),
          CAST(${change.at} AS BIGINT)
        FROM messages WHERE conversation_id = ${conversationId} AND id = ${messageId} AND owner_id = ${ownerId}
        ON CONFLICT (conversation_id, message_id) DO UPDATE SET ${update}, updated_at = excluded.updated_at`.execute(
        db,
      );
      if (numAffectedRows === 1n) return;
      throw new ToolyardError({ code: 'not_found', message: say`There is no message ${JSON.stringify(messageId)}.` });
    },
    async remove({ ownerId }, conversationId, messageId) {
      return affectsRows(
        db
          .deleteFrom('translations')
          .where('conversation_id', '=', conversationId)
          .where('message_id', '=', messageId)
          .where('owner_id', '=', ownerId),
      );
    },
  };
}

/** Nothing if only the language was detected: the translation failed or is in progress. */
function toTranslation(row: Selectable<Schema['translations']>): StoredTranslation[] {
  const { message_id: messageId, from_language: from, to_language: to, translated: content } = row;
  return to === null || content === null ? [] : [{ messageId, from, to, content }];
}
