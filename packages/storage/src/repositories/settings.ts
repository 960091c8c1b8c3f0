import type { Kysely } from 'kysely';
import type { JsonValue, Owner } from '@toolyard/protocol';
import { affectsRows } from '../engine/columns.ts';
import type { Schema } from '../schema.ts';
import { encodeJson, scrubText } from '../text.ts';

/** Named values of an owner. Not for secrets. */
export type SettingsRepository = {
  /** Undefined if it was never set; null is a value. */
  get(principal: Owner, key: string): Promise<JsonValue | undefined>;
  all(principal: Owner): Promise<ReadonlyMap<string, JsonValue>>;
  set(principal: Owner, key: string, value: JsonValue, at: number): Promise<void>;
  remove(principal: Owner, key: string): Promise<boolean>;
};

export function createSettingsRepository(db: Kysely<Schema>): SettingsRepository {
  const own = ({ ownerId }: Owner) =>
    db.selectFrom('settings').select(['key', 'value']).where('owner_id', '=', ownerId);

  return {
    async get(principal, key) {
      const row = await own(principal).where('key', '=', scrubText(key)).executeTakeFirst();
      return row?.value;
    },
    async all(principal) {
      const rows = await own(principal).orderBy('key').execute();
      return new Map(rows.map(({ key, value }) => [key, value]));
    },
    async set({ ownerId }, key, value, at) {
      const text = encodeJson(value);
      await db
        .insertInto('settings')
        .values({ owner_id: ownerId, key: scrubText(key), value: text, updated_at: at })
        .onConflict((conflict) => conflict.columns(['owner_id', 'key']).doUpdateSet({ value: text, updated_at: at }))
        .execute();
    },
    async remove({ ownerId }, key) {
      return affectsRows(db.deleteFrom('settings').where('owner_id', '=', ownerId).where('key', '=', scrubText(key)));
    },
  };
}
