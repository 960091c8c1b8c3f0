/**
 * The tables at the introduction of PostgreSQL, equal to those of SQLite. Text is compared bytewise regardless of the
 * locale, so that both engines have the same order. JSON is stored as text, which keeps the order of keys.
 */
const TEXT = 'TEXT COLLATE "C"';

export const first: readonly string[] = [
  `CREATE TABLE conversations (
    id ${TEXT} NOT NULL PRIMARY KEY,
    owner_id ${TEXT} NOT NULL,
    title ${TEXT} NOT NULL,
    agent_id ${TEXT},
    configuration TEXT NOT NULL,
    leaf_id ${TEXT},
    pinned INTEGER NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    deleted_at BIGINT
  )`,
  `CREATE INDEX conversations_of_owner ON conversations (owner_id, pinned, updated_at, id)`,
  `CREATE INDEX conversations_deleted ON conversations (deleted_at) WHERE deleted_at IS NOT NULL`,

  // Foreign keys are checked at the end of the statement, so that a conversation can be deleted with all its messages.
  `CREATE TABLE messages (
    conversation_id ${TEXT} NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    id ${TEXT} NOT NULL,
    parent_id ${TEXT},
    owner_id ${TEXT} NOT NULL,
    run_id ${TEXT},
    role ${TEXT} NOT NULL,
    created_at BIGINT NOT NULL,
    message TEXT NOT NULL,
    abandoned INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (conversation_id, id),
    FOREIGN KEY (conversation_id, parent_id) REFERENCES messages (conversation_id, id)
  )`,
  `CREATE INDEX messages_tree ON messages (conversation_id, parent_id, created_at, id, abandoned)`,

  `CREATE TABLE agents (
    id ${TEXT} NOT NULL PRIMARY KEY,
    owner_id ${TEXT} NOT NULL,
    title ${TEXT} NOT NULL,
    configuration TEXT NOT NULL,
    version INTEGER NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
  )`,
  `CREATE INDEX agents_of_owner ON agents (owner_id, title, id)`,

  `CREATE TABLE settings (
    owner_id ${TEXT} NOT NULL,
    key ${TEXT} NOT NULL,
    value TEXT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (owner_id, key)
  )`,

  // Updated with every flush: free space in the page keeps the new row version there, and the indexes unchanged (HOT).
  `CREATE TABLE runs (
    id ${TEXT} NOT NULL PRIMARY KEY,
    owner_id ${TEXT} NOT NULL,
    conversation_id ${TEXT} NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    agent_id ${TEXT},
    parent_run_id ${TEXT} REFERENCES runs (id) ON DELETE CASCADE,
    place ${TEXT} NOT NULL,
    status ${TEXT} NOT NULL,
    last_seq BIGINT NOT NULL,
    fence BIGINT NOT NULL,
    lease_owner ${TEXT},
    lease_until BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    ended_at BIGINT,
    compacted BIGINT
  ) WITH (fillfactor = 50)`,
  `CREATE UNIQUE INDEX runs_one_active ON runs (conversation_id)
    WHERE parent_run_id IS NULL AND status IN ('queued', 'running', 'parked', 'waiting_for_tab')`,
  `CREATE INDEX runs_active ON runs (status, created_at)
    WHERE status IN ('queued', 'running', 'parked', 'waiting_for_tab')`,
  `CREATE INDEX runs_leased ON runs (lease_owner) WHERE lease_owner IS NOT NULL`,
  `CREATE INDEX runs_of_conversation ON runs (conversation_id, created_at)`,
  `CREATE INDEX runs_of_parent ON runs (parent_run_id) WHERE parent_run_id IS NOT NULL`,
  `CREATE INDEX runs_of_owner ON runs (owner_id, created_at, id)`,
  `CREATE INDEX runs_to_compact ON runs (ended_at) WHERE ended_at IS NOT NULL AND compacted IS NULL`,

  `CREATE TABLE run_states (
    run_id ${TEXT} NOT NULL PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    owner_id ${TEXT} NOT NULL,
    configuration TEXT,
    state TEXT
  )`,

  `CREATE TABLE run_events (
    run_id ${TEXT} NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    seq BIGINT NOT NULL,
    owner_id ${TEXT} NOT NULL,
    v INTEGER NOT NULL,
    step BIGINT NOT NULL,
    attempt BIGINT NOT NULL,
    at BIGINT NOT NULL,
    type ${TEXT} NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (run_id, seq)
  )`,

  `CREATE TABLE run_inbox (
    position BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id ${TEXT} NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    id ${TEXT} NOT NULL,
    owner_id ${TEXT} NOT NULL,
    kind ${TEXT} NOT NULL,
    body TEXT NOT NULL,
    at BIGINT NOT NULL,
    taken_at BIGINT,
    UNIQUE (run_id, id)
  )`,
  `CREATE INDEX run_inbox_waiting ON run_inbox (run_id, position) WHERE taken_at IS NULL`,

  `CREATE TABLE tool_ledger (
    position BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id ${TEXT} NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    call_id ${TEXT} NOT NULL,
    owner_id ${TEXT} NOT NULL,
    server_id ${TEXT} NOT NULL,
    tool_name ${TEXT} NOT NULL,
    arguments TEXT NOT NULL,
    status ${TEXT} NOT NULL,
    detail TEXT,
    updated_at BIGINT NOT NULL,
    UNIQUE (run_id, call_id)
  )`,

  `CREATE TABLE interrupts (
    id ${TEXT} NOT NULL PRIMARY KEY,
    run_id ${TEXT} NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    owner_id ${TEXT} NOT NULL,
    mode ${TEXT} NOT NULL,
    status ${TEXT} NOT NULL,
    interrupt TEXT NOT NULL,
    answer TEXT,
    opened_at BIGINT NOT NULL,
    answered_at BIGINT
  )`,
  `CREATE INDEX interrupts_of_run ON interrupts (run_id, opened_at)`,
  `CREATE INDEX interrupts_of_owner ON interrupts (owner_id, status, opened_at)`,

  `CREATE TABLE queued_messages (
    conversation_id ${TEXT} NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    id ${TEXT} NOT NULL,
    owner_id ${TEXT} NOT NULL,
    position BIGINT NOT NULL,
    parts TEXT NOT NULL,
    configuration TEXT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (conversation_id, id)
  )`,

  // Without a conversation the decision applies everywhere.
  `CREATE TABLE permissions (
    owner_id ${TEXT} NOT NULL,
    conversation_id ${TEXT} REFERENCES conversations (id) ON DELETE CASCADE,
    server_id ${TEXT} NOT NULL,
    tool_name ${TEXT} NOT NULL,
    decision ${TEXT} NOT NULL,
    decided_at BIGINT NOT NULL
  )`,
  `CREATE UNIQUE INDEX permissions_one ON permissions (owner_id, coalesce(conversation_id, ''), server_id, tool_name)`,
  `CREATE INDEX permissions_of_conversation ON permissions (conversation_id) WHERE conversation_id IS NOT NULL`,

  `CREATE TABLE secrets (
    owner_id ${TEXT} NOT NULL,
    name ${TEXT} NOT NULL,
    sealed BYTEA NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (owner_id, name)
  )`,

  // Equal bytes are stored once; each row of blobs grants one owner access. Most are images, which are already
  // compressed.
  `CREATE TABLE blob_bytes (
    sha256 ${TEXT} NOT NULL PRIMARY KEY,
    bytes BYTEA NOT NULL
  )`,
  `ALTER TABLE blob_bytes ALTER COLUMN bytes SET STORAGE EXTERNAL`,
  `CREATE TABLE blobs (
    owner_id ${TEXT} NOT NULL,
    sha256 ${TEXT} NOT NULL REFERENCES blob_bytes (sha256),
    size BIGINT NOT NULL,
    mime_type ${TEXT} NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (owner_id, sha256)
  )`,
  `CREATE INDEX blobs_by_hash ON blobs (sha256)`,

  // What a row indexes: a message, or with an empty message_id the title of a conversation.
  `CREATE TABLE search_rows (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    conversation_id ${TEXT} NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    message_id ${TEXT} NOT NULL,
    owner_id ${TEXT} NOT NULL,
    title TSVECTOR NOT NULL,
    body TSVECTOR NOT NULL,
    UNIQUE (conversation_id, message_id)
  )`,
  `CREATE INDEX search_rows_title ON search_rows USING gin (title)`,
  `CREATE INDEX search_rows_body ON search_rows USING gin (body)`,
];
