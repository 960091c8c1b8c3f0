/** Queued messages, permissions, secrets; indexes for lists and pages of messages; compacted runs. */
export const queue: readonly string[] = [
  `CREATE TABLE queued_messages (
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    owner_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    parts TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (conversation_id, id)
  ) STRICT, WITHOUT ROWID`,

  // Without a conversation the decision applies everywhere.
  `CREATE TABLE permissions (
    owner_id TEXT NOT NULL,
    conversation_id TEXT REFERENCES conversations (id) ON DELETE CASCADE,
    server_id TEXT NOT NULL,
    tool_name TEXT NOT NULL,
    decision TEXT NOT NULL,
    decided_at INTEGER NOT NULL
  ) STRICT`,
  `CREATE UNIQUE INDEX permissions_one ON permissions (owner_id, coalesce(conversation_id, ''), server_id, tool_name)`,
  `CREATE INDEX permissions_of_conversation ON permissions (conversation_id) WHERE conversation_id IS NOT NULL`,

  `CREATE TABLE secrets (
    owner_id TEXT NOT NULL,
    name TEXT NOT NULL,
    sealed BLOB NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (owner_id, name)
  ) STRICT, WITHOUT ROWID`,

  // A covering index: parent, age and abandoned answers are read from it without the table.
  `ALTER TABLE messages ADD COLUMN abandoned INTEGER NOT NULL DEFAULT 0`,
  `UPDATE messages SET abandoned = 1
    WHERE role = 'assistant' AND json_extract(message, '$.finishReason') = 'abandoned'`,
  `DROP INDEX messages_by_parent`,
  `CREATE INDEX messages_tree ON messages (conversation_id, parent_id, created_at, id, abandoned)`,

  // Number of deleted events of an ended run; null before compaction.
  `ALTER TABLE runs ADD COLUMN compacted INTEGER`,
  `CREATE INDEX runs_to_compact ON runs (ended_at) WHERE ended_at IS NOT NULL AND compacted IS NULL`,

  `CREATE INDEX conversations_deleted ON conversations (deleted_at) WHERE deleted_at IS NOT NULL`,
];
