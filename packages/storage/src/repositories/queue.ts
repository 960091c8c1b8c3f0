import type { AgentConfiguration, ChangeQueuedMessage, Owner, QueuedMessage, UserPart } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import type { StorageEngine } from '../engine/engine.ts';
import type { StoreWork } from '../engine/work.ts';
import { statements, transaction } from '../engine/work.ts';
import { mediaProblem } from '../media.ts';
import { ACTIVE_STATUSES } from '../runs/run-rows.ts';
import { decodeJson, encodeJson } from '../text.ts';

/**
 * Queued messages, sent in order when the current run has ended. A message leaves the queue with the run that sends it:
 * `NewRun.queuedMessageId`.
 */
export type QueueRepository = {
  list(principal: Owner, conversationId: string): Promise<QueuedMessage[]>;
  get(principal: Owner, conversationId: string, id: string): Promise<QueuedMessage | null>;
  /**
   * Appends a message. Returns an existing one with this id unchanged; null if the conversation already contains it.
   * @throws ToolyardError `not_found` if the conversation does not exist, `bad_request` for large media.
   */
  add(
    principal: Owner,
    message: {
      id: string;
      conversationId: string;
      parts: readonly UserPart[];
      configuration?: AgentConfiguration;
      agentId?: string;
      at: number;
    },
  ): Promise<QueuedMessage | null>;
  /**
   * Null if it does not exist.
   * @throws ToolyardError `bad_request` for large media, or if there is no message with the id `before`.
   */
  change(
    principal: Owner,
    conversationId: string,
    id: string,
    change: ChangeQueuedMessage,
  ): Promise<QueuedMessage | null>;
  remove(principal: Owner, conversationId: string, id: string): Promise<boolean>;
  /**
   * Messages of all owners that must be sent although no run is active in their conversation; called when a process
   * starts. These are messages for which a run was stopped (an inbox item of kind `message` names them), and the first
   * message of a queue after a run that completed.
   */
  due(): Promise<DueMessage[]>;
};

type DueMessage = { ownerId: string; conversationId: string; id: string };

type Row = {
  id: string;
  parts: string;
  configuration: string | null;
  agent_id: string | null;
  created_at: number;
  steers: number;
};

export function createQueueRepository(engine: StorageEngine): QueueRepository {
  const steers = `CASE WHEN EXISTS (
    SELECT 1 FROM run_inbox AS i JOIN runs AS r ON r.id = i.run_id
    WHERE r.conversation_id = queued_messages.conversation_id AND r.status IN ${ACTIVE_STATUSES}
      AND i.kind = 'steer' AND i.taken_at IS NULL AND json(i.body) ->> 'queuedMessageId' = queued_messages.id
    ) THEN 1 ELSE 0 END`;
  const columns = `id, parts, configuration, agent_id, created_at, ${steers} AS steers`;
  const own = 'conversation_id = ? AND owner_id = ?';
  const selectAll = engine.prepare<Row>(`SELECT ${columns} FROM queued_messages WHERE ${own} ORDER BY position, id`);
  const select = engine.prepare<Row>(`SELECT ${columns} FROM queued_messages WHERE ${own} AND id = ?`);
  // Serializes concurrent changes of one queue.
  const claim = engine.prepare(`SELECT 1 FROM conversations WHERE id = ? AND owner_id = ?${engine.sql.claimRow}`);
  const insert = engine.prepare(`
    INSERT INTO queued_messages (conversation_id, id, owner_id, position, parts, configuration, agent_id, created_at)
    SELECT id, CAST(? AS TEXT), owner_id,
      (SELECT coalesce(max(position), 0) + 1 FROM queued_messages WHERE conversation_id = conversations.id),
      CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT)
    FROM conversations WHERE id = ? AND owner_id = ? AND deleted_at IS NULL`);
  const messageExists = engine.prepare(`SELECT 1 FROM messages WHERE ${own} AND id = ?`);
  const rewrite = engine.prepare(`UPDATE queued_messages SET parts = ? WHERE ${own} AND id = ?`);
  const setPosition = engine.prepare(`UPDATE queued_messages SET position = ? WHERE ${own} AND id = ?`);
  const remove = engine.prepare(`DELETE FROM queued_messages WHERE ${own} AND id = ?`);

  const selectDue = engine.prepare<DueMessage>(`
    SELECT q.owner_id AS "ownerId", q.conversation_id AS "conversationId", q.id
    FROM queued_messages AS q JOIN conversations AS c ON c.id = q.conversation_id AND c.deleted_at IS NULL
    WHERE NOT EXISTS (
      SELECT 1 FROM runs WHERE conversation_id = q.conversation_id AND parent_run_id IS NULL AND status IN ${ACTIVE_STATUSES})
    AND (EXISTS (
        SELECT 1 FROM run_inbox AS i JOIN runs AS r ON r.id = i.run_id
        WHERE r.conversation_id = q.conversation_id AND i.kind = 'message' AND i.taken_at IS NULL
          AND json(i.body) ->> 'queuedMessageId' = q.id)
      OR (q.position = (SELECT min(position) FROM queued_messages WHERE conversation_id = q.conversation_id)
        AND 'done' = (SELECT status FROM runs WHERE conversation_id = q.conversation_id AND parent_run_id IS NULL
          ORDER BY created_at DESC, id DESC LIMIT 1)))
    ORDER BY q.conversation_id, q.position`);

  function* list(conversationId: string, ownerId: string): StoreWork<QueuedMessage[]> {
    const rows = yield* selectAll.all(conversationId, ownerId);
    return rows.map((row) => toQueued(conversationId, row));
  }

  function* find(conversationId: string, ownerId: string, id: string): StoreWork<QueuedMessage | null> {
    const row = yield* select.get(conversationId, ownerId, id);
    return row === undefined ? null : toQueued(conversationId, row);
  }

  /** Queues are short, so every position is rewritten. */
  function* move(conversationId: string, ownerId: string, id: string, before: string | null): StoreWork<void> {
    if (before === id) return;
    const others = (yield* list(conversationId, ownerId)).filter((message) => message.id !== id);
    const index = before === null ? others.length : others.findIndex((message) => message.id === before);
    if (index === -1)
      throw createNotStoredError(id, `there is no queued message ${String(before)} to insert it before`);
    const order = others.map((message) => message.id).toSpliced(index, 0, id);
    for (const [position, each] of order.entries()) yield* setPosition.run(position + 1, conversationId, ownerId, each);
  }

  return {
    async list({ ownerId }, conversationId) {
      return engine.perform(statements(() => list(conversationId, ownerId)));
    },
    async get({ ownerId }, conversationId, id) {
      return engine.perform(statements(() => find(conversationId, ownerId, id)));
    },
    async add({ ownerId }, { id, conversationId, parts, configuration, agentId, at }) {
      const text = encodeParts(id, parts);
      const stored = configuration === undefined ? null : encodeJson(configuration);
      const job = transaction('queue', 'full', function* () {
        yield* claim.get(conversationId, ownerId);
        const known = yield* find(conversationId, ownerId, id);
        if (known) return known;
        if (yield* messageExists.get(conversationId, ownerId, id)) return null;
        yield* insert.run(id, text, stored, agentId ?? null, at, conversationId, ownerId);
        const added = yield* find(conversationId, ownerId, id);
        if (added) return added;
        throw new ToolyardError({ code: 'not_found', message: `Conversation ${conversationId} does not exist.` });
      });
      return engine.perform(job);
    },
    async change({ ownerId }, conversationId, id, { parts, before }) {
      const text = parts === undefined ? undefined : encodeParts(id, parts);
      const job = transaction('queue', 'full', function* () {
        yield* claim.get(conversationId, ownerId);
        if (!(yield* find(conversationId, ownerId, id))) return null;
        if (text !== undefined) yield* rewrite.run(text, conversationId, ownerId, id);
        if (before !== undefined) yield* move(conversationId, ownerId, id, before);
        return yield* find(conversationId, ownerId, id);
      });
      return engine.perform(job);
    },
    async remove({ ownerId }, conversationId, id) {
      const removed = await engine.perform(statements(() => remove.run(conversationId, ownerId, id)));
      return removed === 1;
    },
    async due() {
      return engine.perform(statements(() => selectDue.all()));
    },
  };
}

function encodeParts(id: string, parts: readonly UserPart[]): string {
  const text = encodeJson(parts);
  const problem = mediaProblem(text, parts);
  if (problem !== null) throw createNotStoredError(id, `it ${problem}`);
  return text;
}

function createNotStoredError(id: string, problem: string): ToolyardError {
  return new ToolyardError({ code: 'bad_request', message: `Queued message ${id} was not stored: ${problem}.` });
}

function toQueued(conversationId: string, row: Row): QueuedMessage {
  // Only this package writes these columns, from values of these types.
  const parts = decodeJson(row.parts) as unknown as UserPart[];
  const steers = row.steers === 1 ? { steers: true as const } : {};
  const agent = row.agent_id === null ? {} : { agentId: row.agent_id };
  const queued = { id: row.id, conversationId, parts, createdAt: row.created_at, ...agent, ...steers };
  if (row.configuration === null) return queued;
  return { ...queued, configuration: decodeJson(row.configuration) as AgentConfiguration };
}
