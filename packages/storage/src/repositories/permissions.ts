import { sql } from 'kysely';
import type { PermissionView, Owner, ToolReference } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import { affectsRows } from '../engine/columns.ts';
import type { StorageEngine } from '../engine/engine.ts';
import { statements } from '../engine/work.ts';
import type { Schema } from '../schema.ts';
import { scrubText } from '../text.ts';

/** Decisions of a user about tools that were stored for later: everywhere, or in one conversation. */
export type PermissionRepository = {
  /** By server, tool and time; with `conversationId` those that apply there: its own and the global ones. */
  list(principal: Owner, query?: { conversationId?: string }): Promise<PermissionView[]>;
  /**
   * Replaces the earlier decision for the same tool and scope.
   * @throws ToolyardError `not_found` if the conversation does not exist.
   */
  set(principal: Owner, permission: PermissionView): Promise<void>;
  /** `conversationId` null: the global decision. */
  remove(principal: Owner, tool: ToolReference, conversationId: string | null): Promise<boolean>;
};

type Row = Omit<Schema['permissions'], 'owner_id'>;

export function createPermissionRepository(engine: StorageEngine): PermissionRepository {
  const { db } = engine;
  // Prepared, because a run reads permissions before every call.
  const select = (condition: string) =>
    engine.prepare<Row>(`
      SELECT server_id, tool_name, conversation_id, decision, decided_at, origin FROM permissions
      WHERE owner_id = ? ${condition} ORDER BY server_id, tool_name, decided_at, conversation_id`);
  const selectAll = select('');
  // The expression of the index: a comparison with NULL would read the permissions of all conversations.
  const selectHere = select("AND coalesce(conversation_id, '') IN ('', ?)");
  return {
    async list({ ownerId }, { conversationId } = {}) {
      const rows = await engine.perform(
        statements(() =>
          conversationId === undefined ? selectAll.all(ownerId) : selectHere.all(ownerId, conversationId),
        ),
      );
      return rows.map(toPermission);
    },
    async set({ ownerId }, { tool, conversationId, decision, at }) {
      const { numAffectedRows } = await sql`
        INSERT INTO permissions (owner_id, conversation_id, server_id, tool_name, decision, decided_at, origin)
        SELECT ${ownerId}, CAST(${conversationId} AS TEXT), ${scrubText(tool.serverId)}, ${scrubText(tool.name)}, ${decision},
          CAST(${at} AS BIGINT), ${tool.origin ?? 'server'}
        WHERE CAST(${conversationId} AS TEXT) IS NULL
          OR EXISTS (SELECT 1 FROM conversations WHERE id = ${conversationId} AND owner_id = ${ownerId})
        ON CONFLICT (owner_id, coalesce(conversation_id, ''), server_id, tool_name)
        DO UPDATE SET decision = excluded.decision, decided_at = excluded.decided_at, origin = excluded.origin`.execute(
        db,
      );
      if (numAffectedRows === 1n) return;
      throw new ToolyardError({ code: 'not_found', message: `Conversation ${String(conversationId)} does not exist.` });
    },
    async remove({ ownerId }, { serverId, name }, conversationId) {
      return affectsRows(
        db
          .deleteFrom('permissions')
          .where('owner_id', '=', ownerId)
          .where(sql`coalesce(conversation_id, '')`, '=', conversationId ?? '')
          .where('server_id', '=', scrubText(serverId))
          .where('tool_name', '=', scrubText(name)),
      );
    },
  };
}

function toPermission(row: Row): PermissionView {
  return {
    tool: { serverId: row.server_id, name: row.tool_name, ...(row.origin === 'tab' ? { origin: row.origin } : {}) },
    conversationId: row.conversation_id,
    decision: row.decision,
    at: row.decided_at,
  };
}
