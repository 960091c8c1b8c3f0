import type { Kysely } from 'kysely';
import type { JsonObject, Owner } from '@toolyard/protocol';
import { defined, ToolyardError } from '@toolyard/protocol';
import { affectsRows } from '../engine/columns.ts';
import type { Schema } from '../schema.ts';
import { decodeJson, encodeJson, scrubText } from '../text.ts';

/** A row with a title and JSON values that are opaque here, which its owner edits. */
export type TitledRow<Values> = Values & {
  id: string;
  title: string;
  /** Starts at 1 and is incremented with every change. */
  version: number;
  createdAt: number;
  updatedAt: number;
};

export type TitledRepository<Values> = {
  /** @throws ToolyardError `bad_request` if the id exists. */
  create(principal: Owner, row: Values & { id: string; title: string; at: number }): Promise<TitledRow<Values>>;
  get(principal: Owner, id: string): Promise<TitledRow<Values> | null>;
  /** By title. */
  list(principal: Owner): Promise<TitledRow<Values>[]>;
  /** Null if it does not exist or its version differs: the caller has read an older one. */
  update(
    principal: Owner,
    id: string,
    change: Partial<Values> & { title?: string; version: number; at: number },
  ): Promise<TitledRow<Values> | null>;
  remove(principal: Owner, id: string): Promise<boolean>;
};

type Table = 'agents' | 'groups';

/** What the tables have in common. */
type Row = Pick<Schema[Table], 'id' | 'owner_id' | 'title' | 'version' | 'created_at' | 'updated_at'>;

export function createTitledRepository<Values extends Record<string, JsonObject>>(
  schema: Kysely<Schema>,
  table: Table,
  columns: readonly (keyof Values & string)[],
): TitledRepository<Values> {
  const db = schema as unknown as Kysely<Record<Table, Row>>;
  const own = ({ ownerId }: Owner) => db.selectFrom(table).selectAll().where('owner_id', '=', ownerId);
  const encoded = (values: Partial<Values>): Record<string, string> =>
    Object.fromEntries(
      columns.flatMap((name) => (values[name] === undefined ? [] : [[name, encodeJson(values[name])]])),
    );

  function toTitled(row: Row): TitledRow<Values> {
    const { id, title, version, created_at: createdAt, updated_at: updatedAt } = row;
    const values = columns.map((name) => {
      const value = (row as Record<string, unknown>)[name];
      return [name, typeof value === 'string' ? decodeJson(value) : value] as const;
    });
    return { id, title, ...(Object.fromEntries(values) as Values), version, createdAt, updatedAt };
  }

  return {
    async create({ ownerId }, { id, title, at, ...values }) {
      const head = { id, owner_id: ownerId, title: scrubText(title), version: 1, created_at: at, updated_at: at };
      const row = await db
        .insertInto(table)
        .values({ ...head, ...encoded(values as unknown as Values) })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .returningAll()
        .executeTakeFirst();
      if (!row) throw new ToolyardError({ code: 'bad_request', message: `The id ${id} is taken.` });
      return toTitled(row);
    },

    async get(principal, id) {
      const row = await own(principal).where('id', '=', id).executeTakeFirst();
      return row ? toTitled(row) : null;
    },

    async list(principal) {
      return (await own(principal).orderBy('title').orderBy('id').execute()).map(toTitled);
    },

    async update({ ownerId }, id, { title, version, at, ...values }) {
      const head = { ...defined({ title: title && scrubText(title) }), version: version + 1, updated_at: at };
      const row = await db
        .updateTable(table)
        .set({ ...head, ...encoded(values as unknown as Values) })
        .where((eb) => eb.and({ id, owner_id: ownerId, version }))
        .returningAll()
        .executeTakeFirst();
      return row ? toTitled(row) : null;
    },

    remove: ({ ownerId }, id) => affectsRows(db.deleteFrom(table).where((eb) => eb.and({ id, owner_id: ownerId }))),
  };
}
