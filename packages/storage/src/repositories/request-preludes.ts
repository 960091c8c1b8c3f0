import type { Kysely } from 'kysely';
import type { Principal, RequestPrelude } from '@toolyard/protocol';
import type { Schema } from '../schema.ts';
import { decodeJson, encodeJson } from '../text.ts';

/** What went along with requests to models, each kept once under a hash of it. */
export type RequestPreludeRepository = {
  /** What is there under this id already is the same. */
  put(principal: Principal, id: string, prelude: RequestPrelude, at: number): Promise<void>;
  get(principal: Principal, id: string): Promise<RequestPrelude | null>;
};

export function createRequestPreludeRepository(db: Kysely<Schema>): RequestPreludeRepository {
  return {
    async put({ ownerId }, id, prelude, at) {
      await db
        .insertInto('request_preludes')
        .values({ owner_id: ownerId, id, prelude: encodeJson(prelude), made_at: at })
        .onConflict((conflict) => conflict.columns(['owner_id', 'id']).doNothing())
        .execute();
    },
    async get({ ownerId }, id) {
      const row = await db
        .selectFrom('request_preludes')
        .select('prelude')
        .where('owner_id', '=', ownerId)
        .where('id', '=', id)
        .executeTakeFirst();
      // Only this room writes the column, from what it is read as.
      return row ? (decodeJson(row.prelude) as unknown as RequestPrelude) : null;
    },
  };
}
