import type { Kysely } from 'kysely';
import type { Owner } from '@toolyard/protocol';
import { affectsRows } from '../engine/columns.ts';
import type { Schema } from '../schema.ts';

/** Sealed bytes by name. Content and encryption are unknown here. */
export type SecretRepository = {
  /** Null if the name does not exist. */
  get(principal: Owner, name: string): Promise<Uint8Array | null>;
  /** False, without a change, if there already is one with this name. */
  add(principal: Owner, name: string, sealed: Uint8Array, at: number): Promise<boolean>;
  set(principal: Owner, name: string, sealed: Uint8Array, at: number): Promise<void>;
  remove(principal: Owner, name: string): Promise<boolean>;
  /** In ascending order; with `prefix`, those that start with it. */
  names(principal: Owner, prefix?: string): Promise<string[]>;
  /** All sealed values of all owners, including sign-ins. */
  everySealed(): Promise<Uint8Array[]>;
};

export function createSecretRepository(db: Kysely<Schema>): SecretRepository {
  return {
    async get({ ownerId }, name) {
      const row = await db
        .selectFrom('secrets')
        .select('sealed')
        .where('owner_id', '=', ownerId)
        .where('name', '=', name)
        .executeTakeFirst();
      return row?.sealed ?? null;
    },
    async add({ ownerId }, name, sealed, at) {
      const result = await db
        .insertInto('secrets')
        .values({ owner_id: ownerId, name, sealed, updated_at: at })
        .onConflict((conflict) => conflict.columns(['owner_id', 'name']).doNothing())
        .executeTakeFirst();
      return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
    },
    async set({ ownerId }, name, sealed, at) {
      await db
        .insertInto('secrets')
        .values({ owner_id: ownerId, name, sealed, updated_at: at })
        .onConflict((conflict) => conflict.columns(['owner_id', 'name']).doUpdateSet({ sealed, updated_at: at }))
        .execute();
    },
    async remove({ ownerId }, name) {
      return affectsRows(db.deleteFrom('secrets').where('owner_id', '=', ownerId).where('name', '=', name));
    },
    async names({ ownerId }, prefix = '') {
      const rows = await db
        .selectFrom('secrets')
        .select('name')
        .where('owner_id', '=', ownerId)
        .where('name', '>=', prefix)
        .where((eb) => eb(eb.fn<string>('substr', ['name', eb.val(1), eb.val([...prefix].length)]), '=', prefix))
        .orderBy('name')
        .execute();
      return rows.map(({ name }) => name);
    },
    async everySealed() {
      const secrets = await db.selectFrom('secrets').select('sealed').execute();
      const signIns = await db.selectFrom('sign_ins').select('sealed').execute();
      return [...secrets, ...signIns].map(({ sealed }) => sealed);
    },
  };
}
