import type { AnswerSideEffect } from '@toolyard/protocol';
import type { StorageEngine } from '../engine/engine.ts';
import type { StoreWork } from '../engine/work.ts';
import { decodeJson, encodeJson } from '../text.ts';

/**
 * Applies the changes that come with an answer; false if their target no longer exists. Call it within a transaction.
 */
export type AnswerSideEffects = (
  sideEffect: AnswerSideEffect,
  of: { ownerId: string; at: number },
) => StoreWork<boolean>;

/** The statements of {@link AnswerSideEffects}: rows are locked when they are read. */
export function createAnswerSideEffects(engine: StorageEngine): AnswerSideEffects {
  const find = (from: string) =>
    engine.prepare<{ value: string }>(`SELECT ${from} = ? AND owner_id = ?${engine.sql.claimRow}`);
  const conversation = find('configuration AS value FROM conversations WHERE deleted_at IS NULL AND id');
  const agent = find('configuration AS value FROM agents WHERE id');
  const setting = find('value FROM settings WHERE key');
  // Leaves `updated_at`, because no message was added.
  const setConversation = engine.prepare('UPDATE conversations SET configuration = ? WHERE id = ? AND owner_id = ?');
  const setAgent = engine.prepare(
    'UPDATE agents SET configuration = ?, updated_at = ?, version = version + 1 WHERE id = ? AND owner_id = ?',
  );
  const setSetting = engine.prepare('UPDATE settings SET value = ?, updated_at = ? WHERE key = ? AND owner_id = ?');

  return function* ({ what, id, change }, { ownerId, at }) {
    const targets = { conversations: conversation, agents: agent, settings: setting };
    const row = yield* targets[what].get(id, ownerId);
    if (!row) return false;
    const text = encodeJson(change(decodeJson(row.value)));
    if (what === 'conversations') yield* setConversation.run(text, id, ownerId);
    else yield* (what === 'agents' ? setAgent : setSetting).run(text, at, id, ownerId);
    return true;
  };
}
