import type { Kysely, Selectable } from 'kysely';
import type { JsonObject, Principal } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import type { Schema } from '../schema.ts';
import { encodeJson, scrubText } from '../text.ts';

export type Conversation = {
  id: string;
  title: string;
  agentId: string | null;
  /** Opaque here: what the conversation sets over its agent (model, servers, tools). */
  configuration: JsonObject;
  /** The message shown last; null while there is none. */
  leafId: string | null;
  pinned: boolean;
  createdAt: number;
  /** When something was last said in it. */
  updatedAt: number;
  /** Set while it can be restored. */
  deletedAt: number | null;
};

export type ConversationChange = {
  title?: string;
  agentId?: string | null;
  configuration?: JsonObject;
  pinned?: boolean;
};

export type ConversationRepository = {
  /** @throws ToolyardError `bad_request` where the id is taken. */
  create(
    principal: Principal,
    conversation: { id: string; title: string; agentId?: string; configuration?: JsonObject; at: number },
  ): Promise<Conversation>;
  /** Null where the owner has none of that id, or deleted it. */
  get(principal: Principal, id: string): Promise<Conversation | null>;
  /** Pinned ones first, then the latest; `after` is the last one seen. With `deleted` those that can be restored. */
  list(
    principal: Principal,
    query: { limit: number; after?: Pick<Conversation, 'id' | 'pinned' | 'updatedAt'>; deleted?: boolean },
  ): Promise<Conversation[]>;
  /** Does not count as activity: its place in the list stays, but for pinning. Null where it is not there. */
  update(principal: Principal, id: string, change: ConversationChange): Promise<Conversation | null>;
  /** Shows another branch; false where that message is not in the conversation. */
  setLeaf(principal: Principal, id: string, leafId: string): Promise<boolean>;
  /** Takes it out of sight; {@link restore} brings it back. */
  remove(principal: Principal, id: string, at: number): Promise<boolean>;
  restore(principal: Principal, id: string): Promise<boolean>;
  /** Ends it with its messages and runs, for good. */
  purge(principal: Principal, id: string): Promise<boolean>;
};

export function createConversationRepository(db: Kysely<Schema>): ConversationRepository {
  const own = (principal: Principal, id: string) =>
    db.selectFrom('conversations').selectAll().where('id', '=', id).where('owner_id', '=', principal.ownerId);
  const change = ({ ownerId }: Principal, id: string) =>
    db.updateTable('conversations').where('id', '=', id).where('owner_id', '=', ownerId);

  return {
    async create({ ownerId }, { id, title, agentId, configuration, at }) {
      const row = await db
        .insertInto('conversations')
        .values({
          id,
          owner_id: ownerId,
          title: scrubText(title),
          agent_id: agentId ?? null,
          configuration: encodeJson(configuration ?? {}),
          leaf_id: null,
          pinned: 0,
          created_at: at,
          updated_at: at,
          deleted_at: null,
        })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .returningAll()
        .executeTakeFirst();
      if (!row) throw new ToolyardError({ code: 'bad_request', message: `The id ${id} is taken.` });
      return toConversation(row);
    },
    async get(principal, id) {
      const row = await own(principal, id).where('deleted_at', 'is', null).executeTakeFirst();
      return row ? toConversation(row) : null;
    },
    async list({ ownerId }, { limit, after, deleted = false }) {
      let query = db
        .selectFrom('conversations')
        .selectAll()
        .where('owner_id', '=', ownerId)
        .where('deleted_at', deleted ? 'is not' : 'is', null);
      if (after) {
        const seen = [after.pinned ? 1 : 0, after.updatedAt, after.id] as const;
        query = query.where((eb) => eb(eb.refTuple('pinned', 'updated_at', 'id'), '<', eb.tuple(...seen)));
      }
      const rows = await query
        .orderBy('pinned', 'desc')
        .orderBy('updated_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(toConversation);
    },
    async update(principal, id, { title, agentId, configuration, pinned }) {
      const set = {
        ...(title === undefined ? {} : { title: scrubText(title) }),
        ...(agentId === undefined ? {} : { agent_id: agentId }),
        ...(configuration === undefined ? {} : { configuration: encodeJson(configuration) }),
        ...(pinned === undefined ? {} : { pinned: pinned ? 1 : 0 }),
      };
      if (Object.keys(set).length === 0) return this.get(principal, id);
      const row = await change(principal, id)
        .where('deleted_at', 'is', null)
        .set(set)
        .returningAll()
        .executeTakeFirst();
      return row ? toConversation(row) : null;
    },
    async setLeaf(principal, id, leafId) {
      const result = await change(principal, id)
        .set({ leaf_id: leafId })
        .where((eb) =>
          eb.exists(eb.selectFrom('messages').select('id').where('conversation_id', '=', id).where('id', '=', leafId)),
        )
        .executeTakeFirst();
      return result.numUpdatedRows > 0;
    },
    async remove(principal, id, at) {
      const result = await change(principal, id)
        .set({ deleted_at: at })
        .where('deleted_at', 'is', null)
        .executeTakeFirst();
      return result.numUpdatedRows > 0;
    },
    async restore(principal, id) {
      const result = await change(principal, id)
        .set({ deleted_at: null })
        .where('deleted_at', 'is not', null)
        .executeTakeFirst();
      return result.numUpdatedRows > 0;
    },
    async purge({ ownerId }, id) {
      const result = await db
        .deleteFrom('conversations')
        .where('id', '=', id)
        .where('owner_id', '=', ownerId)
        .executeTakeFirst();
      return result.numDeletedRows > 0;
    },
  };
}

function toConversation(row: Selectable<Schema['conversations']>): Conversation {
  return {
    id: row.id,
    title: row.title,
    agentId: row.agent_id,
    configuration: row.configuration,
    leafId: row.leaf_id,
    pinned: row.pinned === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    deletedAt: row.deleted_at,
  };
}
