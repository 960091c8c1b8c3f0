/** Byte order, as in the other tables: independent of the locale of the database. */
const TEXT = 'TEXT COLLATE "C"';

/** Documents that models create in conversations, one row per version, and what models remember for users. */
export const artifactsAndMemories: readonly string[] = [
  `CREATE TABLE artifacts (
    conversation_id ${TEXT} NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    id ${TEXT} NOT NULL,
    version BIGINT NOT NULL,
    owner_id ${TEXT} NOT NULL,
    run_id ${TEXT} NOT NULL,
    call_id ${TEXT} NOT NULL,
    kind ${TEXT} NOT NULL,
    language ${TEXT},
    title ${TEXT} NOT NULL,
    content ${TEXT} NOT NULL,
    size BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (conversation_id, id, version)
  )`,
  `CREATE UNIQUE INDEX artifacts_of_call ON artifacts (conversation_id, run_id, call_id)`,
  `CREATE TABLE memories (
    id ${TEXT} PRIMARY KEY,
    owner_id ${TEXT} NOT NULL,
    text ${TEXT} NOT NULL,
    conversation_id ${TEXT},
    run_id ${TEXT},
    call_id ${TEXT},
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
  )`,
  `CREATE INDEX memories_of_owner ON memories (owner_id, created_at)`,
];
