/**
 * Which processes there are, and which of them holds which MCP server. It says something of processes that live, and
 * need not outlive a crash of the database; what they say of their servers is said again.
 */
export const roles: readonly string[] = [
  `CREATE UNLOGGED TABLE processes (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    role TEXT NOT NULL,
    address TEXT,
    started_at BIGINT NOT NULL,
    until BIGINT NOT NULL
  )`,
  // The catalogue outlasts its holder: a server that is being taken over is still shown.
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
