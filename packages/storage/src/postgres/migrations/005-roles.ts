/**
 * Processes, and the MCP servers each one holds. Describes running processes, so it may be lost in a crash of the
 * database; they announce their servers again.
 */
export const roles: readonly string[] = [
  `CREATE UNLOGGED TABLE processes (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    role TEXT NOT NULL,
    address TEXT,
    started_at BIGINT NOT NULL,
    until BIGINT NOT NULL
  )`,
  // The catalogue is kept without a holder, so that a server is shown during failover.
  `CREATE UNLOGGED TABLE held_servers (
    owner_id TEXT COLLATE "C" NOT NULL,
    server_id TEXT COLLATE "C" NOT NULL,
    holder TEXT COLLATE "C",
    address TEXT,
    lease_until BIGINT NOT NULL,
    version BIGINT NOT NULL,
    catalogue TEXT,
    PRIMARY KEY (owner_id, server_id)
  )`,
  `CREATE INDEX held_servers_of_holder ON held_servers (holder) WHERE holder IS NOT NULL`,
];
