import type { Kysely } from 'kysely';
import type { Owner, RequestPrelude } from '@toolyard/protocol';
import type { Schema } from '../schema.ts';
import { decodeJson, encodeJson } from '../text.ts';

/** The shared content of a conversation's requests, each stored once by its hash. Deleted with the conversation. */
export type RequestPreludeRepository = {
  /** Keeps an existing row with this id: it is equal. */
  put(principal: Owner, conversationId: string, kept: KeptPrelude): Promise<void>;
  get(principal: Owner, conversationId: string, id: string): Promise<RequestPrelude | null>;
};

type KeptPrelude = { id: string; prelude: RequestPrelude; at: number };

export function createRequestPreludeRepository(db: Kysely<Schema>): RequestPreludeRepository {
  return {
    async put({ ownerId }, conversationId, { id, prelude, at }) {
      await db
        .insertInto('request_preludes')
        .values({ conversation_id: conversationId, id, owner_id: ownerId, prelude: encodeJson(prelude), made_at: at })
        .onConflict((conflict) => conflict.columns(['conversation_id', 'id']).doNothing())
        .execute();
    },
    async get({ ownerId }, conversationId, id) {
      const row = await db
        .selectFrom('request_preludes')
        .select('prelude')
        .where('conversation_id', '=', conversationId)
        .where('owner_id', '=', ownerId)
        .where('id', '=', id)
        .executeTakeFirst();
      // Only this package writes the column, from values of this type.
      return row ? (decodeJson(row.prelude) as unknown as RequestPrelude) : null;
    },
  };
}
