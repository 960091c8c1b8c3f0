/** Byte order, as everywhere: what the language of the machine makes of it is nobody's business. */
const TEXT = 'TEXT COLLATE "C"';

/** Sign-ins to MCP servers: rows with a version, so that nobody clears what another one has just written. */
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
