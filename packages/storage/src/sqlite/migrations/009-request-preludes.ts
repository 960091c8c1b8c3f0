/** Content that many requests of a conversation share, by hash: instructions, tools. */
export const requestPreludes: readonly string[] = [
  `CREATE TABLE request_preludes (
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    owner_id TEXT NOT NULL,
    prelude TEXT NOT NULL,
    made_at INTEGER NOT NULL,
    PRIMARY KEY (conversation_id, id)
  ) STRICT, WITHOUT ROWID`,
];
