/**
 * Results of preset tasks. `titled_by`: who named a conversation; null: it has no name, or that is unknown. `title_claimed_until`: a
 * process generates the title until then.
 */
export const presetTasks: readonly string[] = [
  `ALTER TABLE conversations ADD COLUMN titled_by TEXT`,
  `ALTER TABLE conversations ADD COLUMN title_claimed_until INTEGER`,
  `CREATE TABLE translations (
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    message_id TEXT NOT NULL,
    owner_id TEXT NOT NULL,
    from_language TEXT,
    to_language TEXT,
    translated TEXT,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (conversation_id, message_id)
  ) STRICT, WITHOUT ROWID`,
];
