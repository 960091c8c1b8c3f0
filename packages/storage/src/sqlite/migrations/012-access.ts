/** Signed-in browsers, codes of sign-in links, and API keys. Credentials are stored only as SHA-256 hashes. */
export const access: readonly string[] = [
  `CREATE TABLE sessions (
    id TEXT NOT NULL PRIMARY KEY,
    owner_id TEXT NOT NULL,
    token_hash TEXT NOT NULL UNIQUE,
    secret_hash TEXT NOT NULL,
    user_agent TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE sign_in_codes (
    code_hash TEXT NOT NULL PRIMARY KEY,
    owner_id TEXT NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE api_keys (
    id TEXT NOT NULL PRIMARY KEY,
    owner_id TEXT NOT NULL,
    key_hash TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    start TEXT NOT NULL,
    scopes TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    last_used_at INTEGER
  ) STRICT, WITHOUT ROWID`,
];
