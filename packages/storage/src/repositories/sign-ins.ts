import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Owner } from '@toolyard/protocol';
import { affectsRows } from '../engine/columns.ts';
import type { Schema } from '../schema.ts';

/** Sealed bytes and their version. */
type SignInRow = { sealed: Uint8Array; version: string };

/**
 * Sealed rows with optimistic locking. Content and encryption are unknown here. Versions are never reused, even if a
 * row is removed and written again.
 */
export type SignInRepository = {
  get(principal: Owner, key: string): Promise<SignInRow | null>;
  /**
   * Writes if the row still has this version; null: if there is no row. Returns the new version, or null after a
   * conflict.
   */
  put(principal: Owner, key: string, row: PutSignIn): Promise<string | null>;
  /** False if it has another version or does not exist. */
  remove(principal: Owner, key: string, expected: string): Promise<boolean>;
  /** Deletes expired rows of all owners. */
  sweep(now: number): Promise<void>;
};

type PutSignIn = { sealed: Uint8Array; expected: string | null; expiresAt: number | null; at: number };

export function createSignInRepository(db: Kysely<Schema>): SignInRepository {
  return {
    async get({ ownerId }, key) {
      const row = await db
        .selectFrom('sign_ins')
        .select(['sealed', 'version'])
        .where('owner_id', '=', ownerId)
        .where('key', '=', key)
        .executeTakeFirst();
      return row ?? null;
    },
    async put({ ownerId }, key, { sealed, expected, expiresAt, at }) {
      const written = { version: randomUUID(), sealed, expires_at: expiresAt, updated_at: at };
      if (expected === null) {
        const result = await db
          .insertInto('sign_ins')
          .values({ owner_id: ownerId, key, ...written })
          .onConflict((conflict) => conflict.columns(['owner_id', 'key']).doNothing())
          .executeTakeFirst();
        return (result.numInsertedOrUpdatedRows ?? 0n) > 0n ? written.version : null;
      }
      const result = await db
        .updateTable('sign_ins')
        .set(written)
        .where('owner_id', '=', ownerId)
        .where('key', '=', key)
        .where('version', '=', expected)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n ? written.version : null;
    },
    async remove({ ownerId }, key, expected) {
      return affectsRows(
        db
          .deleteFrom('sign_ins')
          .where('owner_id', '=', ownerId)
          .where('key', '=', key)
          .where('version', '=', expected),
      );
    },
    async sweep(now) {
      await db.deleteFrom('sign_ins').where('expires_at', '<=', now).execute();
    },
  };
}
