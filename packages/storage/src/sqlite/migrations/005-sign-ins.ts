/** Sign-ins to MCP servers: versioned rows, so that no process deletes what another has just written. */
export const signIns: readonly string[] = [
  `CREATE TABLE sign_ins (
    owner_id TEXT NOT NULL,
    key TEXT NOT NULL,
    version TEXT NOT NULL,
    sealed BLOB NOT NULL,
    expires_at INTEGER,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (owner_id, key)
  ) STRICT, WITHOUT ROWID`,
];
