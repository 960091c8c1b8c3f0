import type { Kysely } from 'kysely';
import type { JsonObject, Owner } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';
import { affectsRows, aliased } from '../engine/columns.ts';
import type { Schema } from '../schema.ts';
import { decodeJson, encodeJson } from '../text.ts';

/** An API key. Only the hash of the key itself is stored. */
export type StoredApiKey = {
  id: string;
  ownerId: string;
  name: string;
  /** The first characters of the key, for recognition. */
  start: string;
  scopes: readonly string[];
  createdAt: number;
  expiresAt: number | null;
  lastUsedAt: number | null;
  /** Opaque here; null: none. */
  limits: JsonObject | null;
};

export type ApiKeyRepository = {
  create(key: StoredApiKey & { keyHash: string }): Promise<void>;
  /** Null if it does not exist or has expired. */
  find(keyHash: string, now: number): Promise<StoredApiKey | null>;
  /** False if it was revoked or has expired. */
  isValid(id: string, now: number): Promise<boolean>;
  /** Null if it was revoked; an expired one is returned. */
  get(owner: Owner, id: string): Promise<StoredApiKey | null>;
  touch(id: string, lastUsedAt: number): Promise<void>;
  /** Newest first, including expired ones. */
  list(owner: Owner): Promise<StoredApiKey[]>;
  /** False if the owner has no key with this id. */
  revoke(owner: Owner, id: string): Promise<boolean>;
};

const COLUMNS = aliased('id, owner_id, name, start, scopes, created_at, expires_at, last_used_at, limits');

export function createApiKeyRepository(db: Kysely<Schema>): ApiKeyRepository {
  return {
    async create({ id, ownerId, keyHash, name, start, scopes, createdAt, expiresAt, lastUsedAt, limits }) {
      const times = { created_at: createdAt, expires_at: expiresAt, last_used_at: lastUsedAt };
      await db
        .insertInto('api_keys')
        .values({
          id,
          owner_id: ownerId,
          key_hash: keyHash,
          name,
          start,
          scopes: scopes.join(','),
          limits: limits === null ? null : encodeJson(limits),
          ...times,
        })
        .execute();
    },
    async find(keyHash, now) {
      const row = await db.selectFrom('api_keys').select(COLUMNS).where('key_hash', '=', keyHash).executeTakeFirst();
      if (row === undefined || (row.expiresAt !== null && row.expiresAt <= now)) return null;
      return toKey(row);
    },
    async get({ ownerId }, id) {
      const row = await db
        .selectFrom('api_keys')
        .select(COLUMNS)
        .where('id', '=', id)
        .where('owner_id', '=', ownerId)
        .executeTakeFirst();
      return row === undefined ? null : toKey(row);
    },
    async isValid(id, now) {
      const row = await db.selectFrom('api_keys').select('expires_at').where('id', '=', id).executeTakeFirst();
      return row !== undefined && (row.expires_at === null || row.expires_at > now);
    },
    async touch(id, lastUsedAt) {
      await db.updateTable('api_keys').set({ last_used_at: lastUsedAt }).where('id', '=', id).execute();
    },
    async list({ ownerId }) {
      const rows = await db
        .selectFrom('api_keys')
        .select(COLUMNS)
        .where('owner_id', '=', ownerId)
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .execute();
      return rows.map(toKey);
    },
    async revoke({ ownerId }, id) {
      return affectsRows(db.deleteFrom('api_keys').where('owner_id', '=', ownerId).where('id', '=', id));
    },
  };
}

type Row = Omit<StoredApiKey, 'scopes' | 'limits'> & { scopes: string; limits: string | null };

/** Unreadable limits leave nothing allowed: a key must not gain rights by them. */
function toKey({ scopes, limits, ...row }: Row): StoredApiKey {
  const read = limits === null ? null : decodeJson(limits);
  return {
    ...row,
    scopes: limits !== null && !isJsonObject(read) ? [] : scopes.split(',').filter((scope) => scope !== ''),
    limits: isJsonObject(read) ? read : null,
  };
}
