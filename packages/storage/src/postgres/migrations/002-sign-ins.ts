/** Byte order, as in the other tables: independent of the locale of the database. */
const TEXT = 'TEXT COLLATE "C"';

/** Sign-ins to MCP servers: versioned rows, so that no process deletes what another has just written. */
export const signIns: readonly string[] = [
  `CREATE TABLE sign_ins (
    owner_id ${TEXT} NOT NULL,
    key ${TEXT} NOT NULL,
    version ${TEXT} NOT NULL,
    sealed BYTEA NOT NULL,
    expires_at BIGINT,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (owner_id, key)
  )`,
];
