import { sql } from 'kysely';
import type { Message, MessagePage, Owner } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import type { StorageEngine } from '../engine/engine.ts';
import { transaction } from '../engine/work.ts';
import { createMessageWriter, MessageRefusal } from '../runs/message-rows.ts';
import type { PageQuery } from './message-pages.ts';
import { readPage } from './message-pages.ts';

/** The messages of a conversation: a tree. Messages of runs are written by RunStore. */
export type MessageRepository = {
  /**
   * Adds a message that no run writes (an import, a system message); with `leaf` it becomes the current leaf.
   * @throws ToolyardError `bad_request` if conversation or parent do not exist, or the id exists.
   */
  add(principal: Owner, conversationId: string, message: Message, options?: { leaf?: boolean }): Promise<void>;
  get(principal: Owner, conversationId: string, id: string): Promise<Message | null>;
  /** The run that stored a message: its own run, or the one that received it as steering; null if none did. */
  findRunId(principal: Owner, conversationId: string, id: string): Promise<string | null>;
  /** From the first message to `leafId`, or to the current leaf; empty in an empty conversation. */
  branch(principal: Owner, conversationId: string, leafId?: string): Promise<Message[]>;
  /** The last `limit` messages of a branch, or those before one of them, with sibling information. */
  page(principal: Owner, conversationId: string, query: PageQuery): Promise<MessagePage>;
  /**
   * The end of the newest branch below a message, without abandoned ones: the message itself if nothing is below; null
   * if it does not exist.
   */
  newestLeafBelow(principal: Owner, conversationId: string, messageId: string): Promise<string | null>;
  /** All branches, oldest message first. */
  all(principal: Owner, conversationId: string): Promise<Message[]>;
};

export function createMessageRepository(engine: StorageEngine): MessageRepository {
  const { db } = engine;
  const writer = createMessageWriter(engine);
  const exists = engine.prepare('SELECT 1 FROM messages WHERE conversation_id = ? AND id = ?');
  const of = ({ ownerId }: Owner, conversationId: string) =>
    db
      .selectFrom('messages')
      .select('message')
      .where('messages.conversation_id', '=', conversationId)
      .where('messages.owner_id', '=', ownerId);

  return {
    async add({ ownerId }, conversationId, message, options = {}) {
      try {
        const job = transaction('message', 'full', function* () {
          if (yield* exists.get(conversationId, message.id))
            throw new MessageRefusal(`message ${message.id} already exists`);
          yield* writer.write(message, { conversationId, ownerId, runId: null });
          if (options.leaf) yield* writer.moveLeaf({ to: message.id }, { conversationId, at: message.createdAt });
        });
        await engine.perform(job);
      } catch (error) {
        if (!(error instanceof MessageRefusal)) throw error;
        throw new ToolyardError({ code: 'bad_request', message: `Not stored: ${error.message}.` });
      }
    },
    async get(principal, conversationId, id) {
      const row = await of(principal, conversationId).where('messages.id', '=', id).executeTakeFirst();
      return row?.message ?? null;
    },
    async findRunId({ ownerId }, conversationId, id) {
      const row = await db
        .selectFrom('messages')
        .select('run_id')
        .where('conversation_id', '=', conversationId)
        .where('owner_id', '=', ownerId)
        .where('id', '=', id)
        .executeTakeFirst();
      return row?.run_id ?? null;
    },
    async branch({ ownerId }, conversationId, leafId) {
      const { rows } = await sql<{ message: Message }>`
        WITH RECURSIVE branch (id, parent_id, message, distance) AS (
          SELECT m.id, m.parent_id, m.message, 0 FROM messages AS m JOIN conversations AS c ON c.id = m.conversation_id
          WHERE c.id = ${conversationId} AND c.owner_id = ${ownerId} AND m.id = coalesce(${leafId ?? null}, c.leaf_id)
          UNION ALL
          SELECT p.id, p.parent_id, p.message, b.distance + 1 FROM branch AS b
          JOIN messages AS p ON p.conversation_id = ${conversationId} AND p.id = b.parent_id
        )
        SELECT message FROM branch ORDER BY distance DESC`.execute(db);
      return rows.map(({ message }) => message);
    },
    page: (principal, conversationId, query) => readPage(db, principal, conversationId, query),
    async newestLeafBelow({ ownerId }, conversationId, messageId) {
      const { rows } = await sql<{ id: string }>`
        WITH RECURSIVE way (id, distance) AS (
          SELECT id, 0 FROM messages
          WHERE conversation_id = ${conversationId} AND owner_id = ${ownerId} AND id = ${messageId}
          UNION ALL
          SELECT (
            SELECT id FROM messages WHERE conversation_id = ${conversationId} AND parent_id = way.id AND abandoned = 0
            ORDER BY created_at DESC, id DESC LIMIT 1
          ), distance + 1 FROM way WHERE way.id IS NOT NULL
        )
        SELECT id FROM way WHERE id IS NOT NULL ORDER BY distance DESC LIMIT 1`.execute(db);
      return rows[0]?.id ?? null;
    },
    async all(principal, conversationId) {
      const rows = await of(principal, conversationId).orderBy('created_at').orderBy('id').execute();
      return rows.map(({ message }) => message);
    },
  };
}
