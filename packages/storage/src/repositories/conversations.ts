import { sql } from 'kysely';
import type { JsonObject, Owner, RunStatus } from '@toolyard/protocol';
import { defined, ToolyardError } from '@toolyard/protocol';
import { affectsRows, aliased } from '../engine/columns.ts';
import type { StorageEngine } from '../engine/engine.ts';
import { transaction } from '../engine/work.ts';
import { ACTIVE_STATUSES } from '../runs/run-rows.ts';
import type { TitledBy } from '../schema.ts';
import { encodeJson, scrubText } from '../text.ts';
import type { ConversationSearch, SearchHit } from './conversation-search.ts';

type ActiveRun = { id: string; status: RunStatus };

export type StoredConversation = {
  id: string;
  title: string;
  /** Who named it; null: it has no name, or that is unknown, as in rows of earlier versions. */
  titledBy: TitledBy | null;
  agentId: string | null;
  /** The group that answers in it, instead of an agent. */
  groupId: string | null;
  /** Opaque here: the conversation's overrides of its agent (model, servers, tools). */
  configuration: JsonObject;
  /** The last message of the current branch; null in an empty conversation. */
  leafId: string | null;
  pinned: boolean;
  createdAt: number;
  /** Time of the last message. */
  updatedAt: number;
  /** Set while it can be restored. */
  deletedAt: number | null;
  /** The current run. */
  activeRun: ActiveRun | null;
  /** The call that started it, if it belongs to a sub-agent: it is deleted with that conversation, and not listed. */
  parent: { conversationId: string; runId: string; callId: string } | null;
  /** Not in lists and searches, and not kept. */
  temporary: boolean;
};

/** Text around the first match in the title or a message; matches are between U+0002 and U+0003. */
export type FoundConversation = StoredConversation & Pick<SearchHit, 'snippet' | 'messageId'>;

export type ConversationChange = {
  /** The name a user gives it; an empty one removes the name. */
  title?: string;
  agentId?: string | null;
  configuration?: JsonObject;
  pinned?: boolean;
};

export type ConversationRepository = {
  /**
   * Creates it, or returns the one that the owner has with this id.
   *
   * @throws ToolyardError `bad_request` if the id belongs to another owner or a deleted conversation
   */
  create(
    principal: Owner,
    conversation: {
      id: string;
      title: string;
      agentId?: string;
      groupId?: string;
      configuration?: JsonObject;
      temporary?: boolean;
      at: number;
    },
  ): Promise<StoredConversation>;
  /** Null if the owner has no such conversation, or deleted it. */
  get(principal: Owner, id: string): Promise<StoredConversation | null>;
  /**
   * Top-level conversations: pinned ones first, then the most recent; `after` is the last one of the previous page. With
   * `deleted`, those that can be restored.
   */
  list(
    principal: Owner,
    query: { limit: number; after?: Pick<StoredConversation, 'id' | 'pinned' | 'updatedAt'>; deleted?: boolean },
  ): Promise<StoredConversation[]>;
  /**
   * Conversations that contain every word of the query in the title or in one message (text of user and assistant on
   * any branch): title matches first, then the most recent. Any text is a valid query; one without a word has no
   * results.
   */
  search(principal: Owner, query: { query: string; limit: number }): Promise<FoundConversation[]>;
  /** Does not count as activity and changes the position in the list only by pinning. Null if it does not exist. */
  update(principal: Owner, id: string, change: ConversationChange): Promise<StoredConversation | null>;
  /**
   * Claims the generation of the title until `until`, for one caller. False if a user named the conversation, it has a
   * generated title, another caller has the claim, or it does not exist.
   */
  claimTitle(principal: Owner, id: string, claim: { at: number; until: number }): Promise<boolean>;
  /**
   * Ends a claim. With a title: stores it, unless a user has named the conversation since. `null`: no title is generated
   * for it any more. Absent: it may be claimed again. False if nothing changed.
   */
  endTitleClaim(principal: Owner, id: string, claim: { until: number; title?: string | null }): Promise<boolean>;
  /** Switches to another branch; false if that message is not in the conversation. */
  setLeaf(principal: Owner, id: string, leafId: string): Promise<boolean>;
  /** Soft-deletes it with those of its sub-agents; {@link restore} undoes that. */
  remove(principal: Owner, id: string, at: number): Promise<boolean>;
  restore(principal: Owner, id: string): Promise<boolean>;
  /** Deletes it permanently, with its messages, its runs and the conversations of their sub-agents. */
  purge(principal: Owner, id: string): Promise<boolean>;
  /**
   * Permanently deletes conversations of all owners that were deleted before `before`, at most `limit`. Returns their
   * number. Blobs stay, since other messages may reference them.
   */
  purgeDeleted(before: number, limit: number): Promise<number>;
  /** The same for temporary conversations that were deleted, or whose last message is older than `before`. */
  purgeTemporary(before: number, limit: number): Promise<number>;
};

export function createConversationRepository(
  engine: StorageEngine,
  search: ConversationSearch,
): ConversationRepository {
  const { db } = engine;
  const titles = engine.searchWriter();
  const own = (principal: Owner, id: string) =>
    db.selectFrom('conversations').select(COLUMNS).where('id', '=', id).where('owner_id', '=', principal.ownerId);
  const kept = (principal: Owner, id: string) => own(principal, id).where('deleted_at', 'is', null);
  const change = ({ ownerId }: Owner, id: string) =>
    db.updateTable('conversations').where('id', '=', id).where('owner_id', '=', ownerId);
  const changeTree = ({ ownerId }: Owner, id: string) =>
    db.updateTable('conversations').where('id', 'in', selectTree(id)).where('owner_id', '=', ownerId);

  return {
    async create({ ownerId }, { id, title, agentId, groupId, configuration, temporary = false, at }) {
      const insert = db
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
          parent_id: null,
          parent_run_id: null,
          parent_call_id: null,
          titled_by: title === '' ? null : 'user',
          title_claimed_until: null,
          temporary: temporary ? 1 : 0,
          group_id: groupId ?? null,
        })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .returning(COLUMNS);
      const job = transaction('conversation', 'normal', function* () {
        const [created] = yield* engine.readRows(insert);
        if (created) yield* titles.title(created.title, { conversationId: id, ownerId });
        return created;
      });
      const row = (await engine.perform(job)) ?? (await kept({ ownerId }, id).executeTakeFirst());
      if (!row) throw new ToolyardError({ code: 'bad_request', message: `The id ${id} is taken.` });
      return toConversation(row);
    },
    async get(principal, id) {
      const row = await kept(principal, id).executeTakeFirst();
      return row ? toConversation(row) : null;
    },
    async list({ ownerId }, { limit, after, deleted = false }) {
      let query = db
        .selectFrom('conversations')
        .select(COLUMNS)
        .where('owner_id', '=', ownerId)
        .where('parent_id', 'is', null)
        .where('temporary', '=', 0)
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
    async search(principal, query) {
      const hits = await search(principal, query);
      if (hits.length === 0) return [];
      const ids = hits.map(({ conversationId }) => conversationId);
      const rows = await db
        .selectFrom('conversations')
        .select(COLUMNS)
        .where('id', 'in', ids)
        .where('temporary', '=', 0)
        .execute();
      const byId = new Map(rows.map((row) => [row.id, toConversation(row)]));
      return hits.flatMap(({ conversationId, ...hit }) => {
        const conversation = byId.get(conversationId);
        return conversation ? [{ ...conversation, ...hit }] : [];
      });
    },
    async update(principal, id, { title, agentId, configuration, pinned }) {
      const set = {
        ...(title === undefined
          ? {}
          : {
              title: scrubText(title),
              titled_by: title === '' ? null : ('user' as const),
              title_claimed_until: null,
            }),
        ...defined({ agent_id: agentId }),
        ...(configuration === undefined ? {} : { configuration: encodeJson(configuration) }),
        ...(pinned === undefined ? {} : { pinned: pinned ? 1 : 0 }),
      };
      if (Object.keys(set).length === 0) return this.get(principal, id);
      const query = change(principal, id).where('deleted_at', 'is', null).set(set).returning(COLUMNS);
      const job = transaction('conversation', 'normal', function* () {
        const [changed] = yield* engine.readRows(query);
        if (changed && title !== undefined) {
          yield* titles.title(changed.title, { conversationId: id, ownerId: principal.ownerId });
        }
        return changed;
      });
      const row = await engine.perform(job);
      return row ? toConversation(row) : null;
    },
    async claimTitle(principal, id, { at, until }) {
      return affectsRows(
        change(principal, id)
          .set({ title_claimed_until: until })
          .where('deleted_at', 'is', null)
          .where('titled_by', '=', 'message')
          .where((eb) => eb.or([eb('title_claimed_until', 'is', null), eb('title_claimed_until', '<', at)])),
      );
    },
    async endTitleClaim(principal, id, { until, title }) {
      const query = change(principal, id)
        .where('titled_by', '=', 'message')
        .where('title_claimed_until', '=', until)
        .set({
          title_claimed_until: null,
          ...(title === null ? { titled_by: null } : {}),
          ...(typeof title === 'string' ? { titled_by: 'task' as const, title: scrubText(title) } : {}),
        })
        .returning('title');
      const job = transaction('conversation', 'normal', function* () {
        const [changed] = yield* engine.readRows(query);
        if (changed && typeof title === 'string') {
          yield* titles.title(changed.title, { conversationId: id, ownerId: principal.ownerId });
        }
        return changed !== undefined;
      });
      return engine.perform(job);
    },
    async setLeaf(principal, id, leafId) {
      return affectsRows(
        change(principal, id)
          .set({ leaf_id: leafId })
          .where((eb) =>
            eb.exists(
              eb.selectFrom('messages').select('id').where('conversation_id', '=', id).where('id', '=', leafId),
            ),
          ),
      );
    },
    async remove(principal, id, at) {
      return affectsRows(changeTree(principal, id).set({ deleted_at: at }).where('deleted_at', 'is', null));
    },
    async restore(principal, id) {
      return affectsRows(changeTree(principal, id).set({ deleted_at: null }).where('deleted_at', 'is not', null));
    },
    async purge({ ownerId }, id) {
      return affectsRows(
        db.deleteFrom('conversations').where('id', 'in', selectTree(id)).where('owner_id', '=', ownerId),
      );
    },
    async purgeDeleted(before, limit) {
      const due = db.selectFrom('conversations').select('id').where('deleted_at', '<', before).orderBy('deleted_at');
      const result = await db.deleteFrom('conversations').where('id', 'in', due.limit(limit)).executeTakeFirst();
      return Number(result.numDeletedRows);
    },
    async purgeTemporary(before, limit) {
      const due = db
        .selectFrom('conversations')
        .select('id')
        .where('temporary', '=', 1)
        .where((eb) => eb.or([eb('deleted_at', 'is not', null), eb('updated_at', '<', before)]));
      const result = await db.deleteFrom('conversations').where('id', 'in', due.limit(limit)).executeTakeFirst();
      return Number(result.numDeletedRows);
    },
  };
}

/** The conversation and those of its sub-agents, at any depth. */
const selectTree = (id: string) => sql<string>`(
  WITH RECURSIVE tree (id) AS (
    SELECT id FROM conversations WHERE id = ${id} UNION SELECT c.id FROM conversations AS c JOIN tree ON c.parent_id = tree.id
  ) SELECT id FROM tree)`;

/**
 * With literal statuses, so that the partial index of active runs is used. In the conversation of a sub-agent its child
 * run counts as well.
 */
const ofActiveRun = <T>(column: 'id' | 'status') => sql<T | null>`coalesce((
  SELECT ${sql.ref(`runs.${column}`)} FROM runs
  WHERE runs.conversation_id = conversations.id AND runs.parent_run_id IS NULL AND runs.status IN ${sql.raw(ACTIVE_STATUSES)}
), CASE WHEN conversations.parent_id IS NULL THEN NULL ELSE (
  SELECT ${sql.ref(`runs.${column}`)} FROM runs
  WHERE runs.conversation_id = conversations.id AND runs.parent_run_id = conversations.parent_run_id
    AND runs.status IN ${sql.raw(ACTIVE_STATUSES)}
) END)`;
const COLUMNS = [
  ...aliased('id, title, titled_by, agent_id, group_id, configuration, leaf_id, pinned, created_at, updated_at'),
  ...aliased('deleted_at, parent_id, parent_run_id, parent_call_id, temporary'),
  ofActiveRun<string>('id').as('runId'),
  ofActiveRun<RunStatus>('status').as('runStatus'),
];

type Row = Omit<StoredConversation, 'pinned' | 'temporary' | 'parent' | 'activeRun'> & {
  pinned: number;
  temporary: number;
  parentId: string | null;
  parentRunId: string | null;
  parentCallId: string | null;
  runId: string | null;
  runStatus: RunStatus | null;
};

function toConversation(row: Row): StoredConversation {
  const { pinned, temporary, parentId, parentRunId, parentCallId, runId, runStatus, ...others } = row;
  return {
    ...others,
    pinned: pinned === 1,
    parent:
      parentId === null ? null : { conversationId: parentId, runId: parentRunId ?? '', callId: parentCallId ?? '' },
    activeRun: runId === null || runStatus === null ? null : { id: runId, status: runStatus },
    temporary: temporary === 1,
  };
}
