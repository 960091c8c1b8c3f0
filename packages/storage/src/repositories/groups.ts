import type { Kysely, Selectable } from 'kysely';
import type { JsonObject, Owner } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import type { Schema } from '../schema.ts';
import { decodeJson, encodeJson, scrubText } from '../text.ts';

export type StoredGroup = {
  id: string;
  title: string;
  /** Opaque here: members, mode, limits. */
  definition: JsonObject;
  /** Starts at 1 and is incremented with every change. */
  version: number;
  createdAt: number;
  updatedAt: number;
};

export type GroupRepository = {
  /** @throws ToolyardError `bad_request` if the id exists. */
  create(
    principal: Owner,
    group: { id: string; title: string; definition: JsonObject; at: number },
  ): Promise<StoredGroup>;
  get(principal: Owner, id: string): Promise<StoredGroup | null>;
  /** By title. */
  list(principal: Owner): Promise<StoredGroup[]>;
  /** Null if it does not exist or its version differs: the caller has read an older one. */
  update(
    principal: Owner,
    id: string,
    change: { title: string; definition: JsonObject; version: number; at: number },
  ): Promise<StoredGroup | null>;
  remove(principal: Owner, id: string): Promise<boolean>;
};

export function createGroupRepository(db: Kysely<Schema>): GroupRepository {
  const own = ({ ownerId }: Owner) => db.selectFrom('groups').selectAll().where('owner_id', '=', ownerId);
  return {
    async create({ ownerId }, { id, title, definition, at }) {
      const values = { id, owner_id: ownerId, version: 1, created_at: at, updated_at: at };
      const row = await db
        .insertInto('groups')
        .values({ ...values, title: scrubText(title), definition: encodeJson(definition) })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .returningAll()
        .executeTakeFirst();
      if (!row) throw new ToolyardError({ code: 'bad_request', message: `The id ${id} is taken.` });
      return toGroup(row);
    },
    async get(principal, id) {
      const row = await own(principal).where('id', '=', id).executeTakeFirst();
      return row ? toGroup(row) : null;
    },
    async list(principal) {
      return (await own(principal).orderBy('title').orderBy('id').execute()).map(toGroup);
    },
    async update({ ownerId }, id, { title, definition, version, at }) {
      const row = await db
        .updateTable('groups')
        .set({
          title: scrubText(title),
          definition: encodeJson(definition),
          version: version + 1,
          updated_at: at,
        })
        .where('id', '=', id)
        .where('owner_id', '=', ownerId)
        .where('version', '=', version)
        .returningAll()
        .executeTakeFirst();
      return row ? toGroup(row) : null;
    },
    async remove({ ownerId }, id) {
      const result = await db
        .deleteFrom('groups')
        .where('id', '=', id)
        .where('owner_id', '=', ownerId)
        .executeTakeFirst();
      return result.numDeletedRows > 0;
    },
  };
}

function toGroup(row: Selectable<Schema['groups']>): StoredGroup {
  return {
    id: row.id,
    title: row.title,
    // The column `definition` of another table is not JSON, so this one is decoded here.
    definition: decodeJson(row.definition) as JsonObject,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
