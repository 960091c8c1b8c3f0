import type { Kysely } from 'kysely';
import type { Owner } from '@toolyard/protocol';
import { affectsRows, aliased } from '../engine/columns.ts';
import type { Schema } from '../schema.ts';

/** A signed-in browser. Only hashes of cookie and header secret are stored. */
export type StoredSession = {
  id: string;
  ownerId: string;
  secretHash: string;
  userAgent: string;
  createdAt: number;
  lastUsedAt: number;
  expiresAt: number;
};

/** Sessions of browsers, and the one-time codes of sign-in links. Expired ones are not found. */
export type SessionRepository = {
  create(session: StoredSession & { tokenHash: string }): Promise<void>;
  /** By the hash of the cookie; null if it does not exist or has expired. */
  find(tokenHash: string, now: number): Promise<StoredSession | null>;
  /** False if it was revoked or has expired. */
  isValid(id: string, now: number): Promise<boolean>;
  /** Records a use and extends the expiry. */
  touch(id: string, use: { lastUsedAt: number; expiresAt: number }): Promise<void>;
  /** Most recently used first. */
  list(owner: Owner, now: number): Promise<StoredSession[]>;
  /** False if the owner has no session with this id. */
  revoke(owner: Owner, id: string): Promise<boolean>;
  /** Returns the number of revoked sessions; `except` stays valid. */
  revokeAll(owner: Owner, except: string | null): Promise<number>;
  addCode(owner: Owner, codeHash: string, expiresAt: number): Promise<void>;
  /** Redeems a code and returns its owner; null if it was used, has expired or does not exist. */
  useCode(codeHash: string, now: number): Promise<Owner | null>;
  /** Deletes expired sessions and codes of all owners. */
  sweep(now: number): Promise<void>;
};

const COLUMNS = aliased('id, owner_id, secret_hash, user_agent, created_at, last_used_at, expires_at');

export function createSessionRepository(db: Kysely<Schema>): SessionRepository {
  return {
    async create({ id, ownerId, tokenHash, secretHash, userAgent, createdAt, lastUsedAt, expiresAt }) {
      const row = { id, owner_id: ownerId, token_hash: tokenHash, secret_hash: secretHash, user_agent: userAgent };
      const times = { created_at: createdAt, last_used_at: lastUsedAt, expires_at: expiresAt };
      await db
        .insertInto('sessions')
        .values({ ...row, ...times })
        .execute();
    },
    async find(tokenHash, now) {
      const row = await db
        .selectFrom('sessions')
        .select(COLUMNS)
        .where('token_hash', '=', tokenHash)
        .where('expires_at', '>', now)
        .executeTakeFirst();
      return row ?? null;
    },
    async isValid(id, now) {
      const row = await db
        .selectFrom('sessions')
        .select('id')
        .where('id', '=', id)
        .where('expires_at', '>', now)
        .executeTakeFirst();
      return row !== undefined;
    },
    async touch(id, { lastUsedAt, expiresAt }) {
      const use = { last_used_at: lastUsedAt, expires_at: expiresAt };
      await db.updateTable('sessions').set(use).where('id', '=', id).execute();
    },
    list: ({ ownerId }, now) =>
      db
        .selectFrom('sessions')
        .select(COLUMNS)
        .where('owner_id', '=', ownerId)
        .where('expires_at', '>', now)
        .orderBy('last_used_at', 'desc')
        .orderBy('id')
        .execute(),
    async revoke({ ownerId }, id) {
      return affectsRows(db.deleteFrom('sessions').where('owner_id', '=', ownerId).where('id', '=', id));
    },
    async revokeAll({ ownerId }, except) {
      const all = db.deleteFrom('sessions').where('owner_id', '=', ownerId);
      const result = await (except === null ? all : all.where('id', '!=', except)).executeTakeFirst();
      return Number(result.numDeletedRows);
    },
    async addCode({ ownerId }, codeHash, expiresAt) {
      await db
        .insertInto('sign_in_codes')
        .values({ code_hash: codeHash, owner_id: ownerId, expires_at: expiresAt })
        .execute();
    },
    async useCode(codeHash, now) {
      const row = await db
        .selectFrom('sign_in_codes')
        .select('owner_id as ownerId')
        .where('code_hash', '=', codeHash)
        .where('expires_at', '>', now)
        .executeTakeFirst();
      if (row === undefined) return null;
      // Of several concurrent requests, only one deletes the row.
      const result = await db.deleteFrom('sign_in_codes').where('code_hash', '=', codeHash).executeTakeFirst();
      return result.numDeletedRows > 0n ? row : null;
    },
    async sweep(now) {
      await db.deleteFrom('sessions').where('expires_at', '<=', now).execute();
      await db.deleteFrom('sign_in_codes').where('expires_at', '<=', now).execute();
    },
  };
}
