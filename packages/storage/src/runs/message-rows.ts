import type { Message } from '@toolyard/protocol';
import type { StorageEngine } from '../engine/engine.ts';
import type { StoreWork } from '../engine/work.ts';
import { mediaProblem } from '../media.ts';
import { encodeJson } from '../text.ts';

/** A commit contradicts the stored data: this item is rejected, the others are stored. */
export class MessageRefusal extends Error {}

/** Keys of a stored message. `runId` null: of a user or an import. */
type MessageKeys = { conversationId: string; ownerId: string; runId: string | null };

export type MessageWriter = {
  /** Adds a message, or replaces one that the same run wrote under the same parent. Throws {@link MessageRefusal}. */
  write(message: Message, to: MessageKeys): StoreWork<void>;
  /**
   * Moves the current leaf; with `from` only if it is the current one. Throws {@link MessageRefusal} if `to` does not
   * exist.
   */
  moveLeaf(leaf: { from?: string | null; to: string }, of: { conversationId: string; at: number }): StoreWork<void>;
};

/** The statements that write the message tree. Use them within a transaction. */
export function createMessageWriter(engine: StorageEngine): MessageWriter {
  const upsert = engine.prepare(`
    INSERT INTO messages (conversation_id, id, parent_id, owner_id, run_id, role, created_at, message, abandoned)
    SELECT id, ?, ?, owner_id, ?, ?, CAST(? AS BIGINT), ?, CAST(? AS BIGINT) FROM conversations WHERE id = ? AND owner_id = ?
    ON CONFLICT (conversation_id, id) DO UPDATE SET
      role = excluded.role, created_at = excluded.created_at, message = excluded.message,
      abandoned = excluded.abandoned
    WHERE messages.run_id = excluded.run_id AND messages.parent_id IS NOT DISTINCT FROM excluded.parent_id`);
  const search = engine.searchWriter();
  const parentOf = engine.prepare('SELECT 1 FROM messages WHERE conversation_id = ? AND id = ?');
  const moveAlways = engine.prepare('UPDATE conversations SET leaf_id = ?, updated_at = ? WHERE id = ?');
  const moveFrom = engine.prepare(
    'UPDATE conversations SET leaf_id = ?, updated_at = ? WHERE id = ? AND leaf_id IS NOT DISTINCT FROM ?',
  );

  return {
    *write(message, { conversationId, ownerId, runId }) {
      const { id, parentId, role, createdAt } = message;
      if (parentId === id) throw new MessageRefusal(`message ${id} is its own parent`);
      if (parentId !== null && !(yield* parentOf.get(conversationId, parentId)))
        throw new MessageRefusal(`message ${id} follows ${parentId}, which is not in conversation ${conversationId}`);
      const body = encodeJson(message);
      const problem = mediaProblem(body, message);
      if (problem !== null) throw new MessageRefusal(`message ${id} ${problem}`);
      const abandoned = role === 'assistant' && message.finishReason === 'abandoned' ? 1 : 0;
      const changes = yield* upsert.run(id, parentId, runId, role, createdAt, body, abandoned, conversationId, ownerId);
      if (changes === 0)
        throw new MessageRefusal(
          `message ${id} cannot be written to conversation ${conversationId}: it belongs to another run`,
        );
      yield* search.message(message, { conversationId, ownerId });
    },
    *moveLeaf({ from, to }, { conversationId, at }) {
      if (!(yield* parentOf.get(conversationId, to)))
        throw new MessageRefusal(`leaf ${to} is not in conversation ${conversationId}`);
      if (from === undefined) yield* moveAlways.run(to, at, conversationId);
      else yield* moveFrom.run(to, at, conversationId, from);
    },
  };
}
