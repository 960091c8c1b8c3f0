/**
 * The first tables. Times are integer milliseconds since 1970, except for `lease_until`, which is of the monotonic
 * clock of the process that locks the folder. JSON is stored as text; its columns are listed in `json-columns.ts`.
 */
export const first: readonly string[] = [
  `CREATE TABLE conversations (
    id TEXT NOT NULL PRIMARY KEY,
    owner_id TEXT NOT NULL,
    title TEXT NOT NULL,
    agent_id TEXT,
    configuration TEXT NOT NULL,
    leaf_id TEXT,
    pinned INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    deleted_at INTEGER
  ) STRICT`,
  `CREATE INDEX conversations_of_owner ON conversations (owner_id, pinned, updated_at, id)`,

  // The parent is checked without a cascade: a long conversation would exceed the trigger depth limit.
  `CREATE TABLE messages (
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    parent_id TEXT,
    owner_id TEXT NOT NULL,
    run_id TEXT,
    role TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    message TEXT NOT NULL,
    PRIMARY KEY (conversation_id, id),
    FOREIGN KEY (conversation_id, parent_id) REFERENCES messages (conversation_id, id)
  ) STRICT`,
  `CREATE INDEX messages_by_parent ON messages (conversation_id, parent_id)`,

  `CREATE TABLE agents (
    id TEXT NOT NULL PRIMARY KEY,
    owner_id TEXT NOT NULL,
    title TEXT NOT NULL,
    configuration TEXT NOT NULL,
    version INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT`,
  `CREATE INDEX agents_of_owner ON agents (owner_id, title, id)`,

  `CREATE TABLE settings (
    owner_id TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (owner_id, key)
  ) STRICT, WITHOUT ROWID`,

  // Kept small, because it is updated with every flush. Large values are in run_states.
  `CREATE TABLE runs (
    id TEXT NOT NULL PRIMARY KEY,
    owner_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    agent_id TEXT,
    parent_run_id TEXT REFERENCES runs (id) ON DELETE CASCADE,
    place TEXT NOT NULL,
    status TEXT NOT NULL,
    last_seq INTEGER NOT NULL,
    fence INTEGER NOT NULL,
    lease_owner TEXT,
    lease_until INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    ended_at INTEGER
  ) STRICT`,
  `CREATE UNIQUE INDEX runs_one_active ON runs (conversation_id)
    WHERE parent_run_id IS NULL AND status IN ('queued', 'running', 'parked', 'waiting_for_tab')`,
  `CREATE INDEX runs_active ON runs (status, created_at)
    WHERE status IN ('queued', 'running', 'parked', 'waiting_for_tab')`,
  `CREATE INDEX runs_leased ON runs (lease_owner) WHERE lease_owner IS NOT NULL`,
  `CREATE INDEX runs_of_conversation ON runs (conversation_id, created_at)`,
  `CREATE INDEX runs_of_parent ON runs (parent_run_id) WHERE parent_run_id IS NOT NULL`,
  `CREATE INDEX runs_of_owner ON runs (owner_id, created_at, id)`,

  `CREATE TABLE run_states (
    run_id TEXT NOT NULL PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    owner_id TEXT NOT NULL,
    configuration TEXT,
    state TEXT
  ) STRICT`,

  `CREATE TABLE run_events (
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    owner_id TEXT NOT NULL,
    v INTEGER NOT NULL,
    step INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    at INTEGER NOT NULL,
    type TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (run_id, seq)
  ) STRICT, WITHOUT ROWID`,

  `CREATE TABLE run_inbox (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    owner_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    at INTEGER NOT NULL,
    taken_at INTEGER,
    UNIQUE (run_id, id)
  ) STRICT`,
  `CREATE INDEX run_inbox_waiting ON run_inbox (run_id, position) WHERE taken_at IS NULL`,

  `CREATE TABLE tool_ledger (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    call_id TEXT NOT NULL,
    owner_id TEXT NOT NULL,
    server_id TEXT NOT NULL,
    tool_name TEXT NOT NULL,
    arguments TEXT NOT NULL,
    status TEXT NOT NULL,
    detail TEXT,
    updated_at INTEGER NOT NULL,
    UNIQUE (run_id, call_id)
  ) STRICT`,

  `CREATE TABLE interrupts (
    id TEXT NOT NULL PRIMARY KEY,
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    owner_id TEXT NOT NULL,
    mode TEXT NOT NULL,
    status TEXT NOT NULL,
    interrupt TEXT NOT NULL,
    answer TEXT,
    opened_at INTEGER NOT NULL,
    answered_at INTEGER
  ) STRICT`,
  `CREATE INDEX interrupts_of_run ON interrupts (run_id, opened_at)`,
  `CREATE INDEX interrupts_of_owner ON interrupts (owner_id, status, opened_at)`,

  // The bytes are in the folder; one file serves all owners with a row.
  `CREATE TABLE blobs (
    owner_id TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    size INTEGER NOT NULL,
    mime_type TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (owner_id, sha256)
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX blobs_by_hash ON blobs (sha256)`,
];
