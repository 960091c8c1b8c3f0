import type { Kysely, Selectable } from 'kysely';
import type { JsonObject, Owner } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import type { Schema } from '../schema.ts';
import { encodeJson, scrubText } from '../text.ts';

export type StoredAgent = {
  id: string;
  title: string;
  /** Opaque here: model, instructions, tools, parameters, limits. */
  configuration: JsonObject;
  /** Opaque here: how it is presented. */
  profile: JsonObject;
  /** Starts at 1 and is incremented with every change. */
  version: number;
  createdAt: number;
  updatedAt: number;
};

export type AgentRepository = {
  /** @throws ToolyardError `bad_request` if the id exists. */
  create(
    principal: Owner,
    agent: { id: string; title: string; configuration: JsonObject; profile?: JsonObject; at: number },
  ): Promise<StoredAgent>;
  get(principal: Owner, id: string): Promise<StoredAgent | null>;
  /** By title. */
  list(principal: Owner): Promise<StoredAgent[]>;
  /** Null if it does not exist or its version differs: the caller has read an older one. */
  update(
    principal: Owner,
    id: string,
    change: { title?: string; configuration?: JsonObject; profile?: JsonObject; version: number; at: number },
  ): Promise<StoredAgent | null>;
  remove(principal: Owner, id: string): Promise<boolean>;
};

export function createAgentRepository(db: Kysely<Schema>): AgentRepository {
  return {
    async create({ ownerId }, { id, title, configuration, profile = {}, at }) {
      const row = await db
        .insertInto('agents')
        .values({
          id,
          owner_id: ownerId,
          title: scrubText(title),
          configuration: encodeJson(configuration),
          profile: encodeJson(profile),
          version: 1,
          created_at: at,
          updated_at: at,
        })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .returningAll()
        .executeTakeFirst();
      if (!row) throw new ToolyardError({ code: 'bad_request', message: `The id ${id} is taken.` });
      return toAgent(row);
    },
    async get({ ownerId }, id) {
      const row = await db
        .selectFrom('agents')
        .selectAll()
        .where('id', '=', id)
        .where('owner_id', '=', ownerId)
        .executeTakeFirst();
      return row ? toAgent(row) : null;
    },
    async list({ ownerId }) {
      const rows = await db
        .selectFrom('agents')
        .selectAll()
        .where('owner_id', '=', ownerId)
        .orderBy('title')
        .orderBy('id')
        .execute();
      return rows.map(toAgent);
    },
    async update({ ownerId }, id, { title, configuration, profile, version, at }) {
      const row = await db
        .updateTable('agents')
        .set({
          ...(title === undefined ? {} : { title: scrubText(title) }),
          ...(configuration === undefined ? {} : { configuration: encodeJson(configuration) }),
          ...(profile === undefined ? {} : { profile: encodeJson(profile) }),
          version: version + 1,
          updated_at: at,
        })
        .where('id', '=', id)
        .where('owner_id', '=', ownerId)
        .where('version', '=', version)
        .returningAll()
        .executeTakeFirst();
      return row ? toAgent(row) : null;
    },
    async remove({ ownerId }, id) {
      const result = await db
        .deleteFrom('agents')
        .where('id', '=', id)
        .where('owner_id', '=', ownerId)
        .executeTakeFirst();
      return result.numDeletedRows > 0;
    },
  };
}

function toAgent(row: Selectable<Schema['agents']>): StoredAgent {
  return {
    id: row.id,
    title: row.title,
    configuration: row.configuration,
    profile: row.profile,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
