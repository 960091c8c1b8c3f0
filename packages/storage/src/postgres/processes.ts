import type { LeasedServer, LiveProcess, Processes } from '../processes.ts';
import type { PostgresConnection } from './connection.ts';
import { DATABASE_TIME } from './engine.ts';

type ServerRow = {
  server_id: string;
  holder: string | null;
  address: string | null;
  version: number;
  catalogue: string | null;
};

/** How long the row of a crashed process is kept, in milliseconds: other processes still report about it. */
const KEEP_DEAD_MS = 60_000;

/** Rows that expire unless their processes renew them. */
export function createProcesses(connection: PostgresConnection, now = DATABASE_TIME): Processes {
  const rows = async <Row>(text: string, values: unknown[]): Promise<Row[]> =>
    (await connection.query(text, values)).rows as Row[];

  return {
    async heartbeat({ id, role, address, startedAt }, ms) {
      await connection.query(
        `INSERT INTO processes (id, role, address, started_at, until) VALUES ($1, $2, $3, $4, ${now} + $5)
         ON CONFLICT (id) DO UPDATE SET role = $2, address = $3, until = ${now} + $5`,
        [id, role, address, startedAt, ms],
      );
      await connection.query(`DELETE FROM processes WHERE until < ${now} - $1`, [KEEP_DEAD_MS]);
      const renewed = await rows<{ owner_id: string; server_id: string }>(
        `UPDATE held_servers SET lease_until = ${now} + $2, address = $3 WHERE holder = $1 RETURNING owner_id, server_id`,
        [id, ms, address],
      );
      return renewed.map((row) => ({ ownerId: row.owner_id, serverId: row.server_id }));
    },

    async take({ ownerId }, { id, address }, serverIds, ms) {
      if (serverIds.length === 0) return [];
      const taken = await rows<{ server_id: string }>(
        `INSERT INTO held_servers AS held (owner_id, server_id, holder, address, lease_until, version)
         SELECT $1, server_id, $2, $3, ${now} + $5, 1 FROM unnest(CAST($4 AS TEXT[])) AS server_id ORDER BY server_id
         ON CONFLICT (owner_id, server_id) DO UPDATE
           SET holder = $2, address = $3, lease_until = ${now} + $5, version = held.version + 1
           WHERE held.holder IS NULL OR held.lease_until <= ${now}
         RETURNING server_id`,
        [ownerId, id, address, serverIds, ms],
      );
      return taken.map((row) => row.server_id);
    },

    async release({ ownerId }, holderId, serverIds) {
      if (serverIds.length === 0) return;
      await connection.query(
        `UPDATE held_servers SET holder = NULL, address = NULL, lease_until = 0, version = version + 1
         WHERE owner_id = $1 AND holder = $2 AND server_id = ANY($3)`,
        [ownerId, holderId, serverIds],
      );
    },

    async publish({ ownerId }, holderId, serverId, catalogue) {
      const updated = await connection.query(
        `UPDATE held_servers SET catalogue = $4, version = version + 1
         WHERE owner_id = $1 AND server_id = $3 AND holder = $2`,
        [ownerId, holderId, serverId, catalogue],
      );
      return updated.rowCount === 1;
    },

    async listLive() {
      return rows<LiveProcess>(
        `SELECT id, role, address FROM processes WHERE until > ${now} ORDER BY started_at, id`,
        [],
      );
    },

    async servers({ ownerId }) {
      const all = await rows<ServerRow>(
        `SELECT server_id, CASE WHEN lease_until > ${now} THEN holder END AS holder, address, version, catalogue
         FROM held_servers WHERE owner_id = $1 ORDER BY server_id`,
        [ownerId],
      );
      return all.map(({ server_id: serverId, holder, address, version, catalogue }): LeasedServer => ({
        serverId,
        holder: holder === null ? null : { id: holder, address },
        version,
        catalogue,
      }));
    },

    async remove(id) {
      await connection.query(
        `UPDATE held_servers SET holder = NULL, address = NULL, lease_until = 0, version = version + 1 WHERE holder = $1`,
        [id],
      );
      await connection.query('DELETE FROM processes WHERE id = $1', [id]);
    },
  };
}
