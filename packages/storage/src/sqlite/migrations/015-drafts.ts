/** The message being written in each conversation; without a conversation the one of a new chat. */
export const drafts: readonly string[] = [
  `CREATE TABLE drafts (
    owner_id TEXT NOT NULL,
    conversation_id TEXT REFERENCES conversations (id) ON DELETE CASCADE,
    draft TEXT NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT`,
  `CREATE UNIQUE INDEX drafts_one ON drafts (owner_id, coalesce(conversation_id, ''))`,
  `CREATE INDEX drafts_of_conversation ON drafts (conversation_id) WHERE conversation_id IS NOT NULL`,
];
