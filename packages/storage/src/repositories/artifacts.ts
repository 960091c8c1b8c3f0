import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { Owner } from '@toolyard/protocol';
import { aliased } from '../engine/columns.ts';
import type { Schema } from '../schema.ts';
import { encodeJson, scrubText } from '../text.ts';

/** One version of a document. Its text is a blob. */
export type StoredArtifactVersion = {
  conversationId: string;
  /** Unique within the conversation. */
  id: string;
  /** From 1, without gaps. */
  version: number;
  /** The call that created it. */
  runId: string;
  callId: string;
  kind: string;
  /** As in the info string of a code block; null if the kind says it. */
  language: string | null;
  title: string;
  blob: string;
  /** In bytes. */
  size: number;
  createdAt: number;
};

/** The documents that models create in conversations; deleted with their conversation. */
export type ArtifactRepository = {
  /** All versions, oldest first. */
  list(principal: Owner, conversationId: string): Promise<StoredArtifactVersion[]>;
  /**
   * Adds a version. False, without a change, if there is such a version, if the call has one already, or if the owner
   * has no such conversation.
   */
  add(principal: Owner, version: StoredArtifactVersion): Promise<boolean>;
};

const COLUMNS = aliased(
  'conversation_id, id, version, run_id, call_id, kind, language, title, content, size, created_at',
);

export function createArtifactRepository(db: Kysely<Schema>): ArtifactRepository {
  return {
    async list({ ownerId }, conversationId) {
      const rows = await db
        .selectFrom('artifacts')
        .select(COLUMNS)
        .where('conversation_id', '=', conversationId)
        .where('owner_id', '=', ownerId)
        .orderBy('created_at')
        .orderBy('id')
        .orderBy('version')
        .execute();
      return rows.map(({ content, ...row }) => ({ ...row, blob: content.blob }));
    },
    async add(
      { ownerId },
      { conversationId, id, version, runId, callId, kind, language, title, blob, size, createdAt },
    ) {
      const { numAffectedRows } = await sql`
        INSERT INTO artifacts
          (conversation_id, id, version, owner_id, run_id, call_id, kind, language, title, content, size, created_at)
        SELECT id, ${id}, CAST(${version} AS BIGINT), owner_id, ${runId}, ${callId}, ${kind}, CAST(${language} AS TEXT),
          ${scrubText(title)}, ${encodeJson({ blob })}, CAST(${size} AS BIGINT), CAST(${createdAt} AS BIGINT)
        FROM conversations WHERE id = ${conversationId} AND owner_id = ${ownerId} AND deleted_at IS NULL
        ON CONFLICT DO NOTHING`.execute(db);
      return numAffectedRows === 1n;
    },
  };
}
