/** Byte order, as in the other tables: independent of the locale of the database. */
const TEXT = 'TEXT COLLATE "C"';

/** Tools that browser tabs provide to runs on the server, calls of them, and questions asked during a call. */
export const tabs: readonly string[] = [
  `CREATE TABLE tab_offers (
    owner_id ${TEXT} NOT NULL,
    conversation_id ${TEXT} NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    tab_id ${TEXT} NOT NULL,
    servers ${TEXT} NOT NULL,
    seen_until BIGINT NOT NULL,
    offered_at BIGINT NOT NULL,
    PRIMARY KEY (conversation_id, tab_id)
  )`,
  `CREATE INDEX tab_offers_of_tab ON tab_offers (owner_id, tab_id)`,
  `CREATE TABLE tab_calls (
    owner_id ${TEXT} NOT NULL,
    call_id ${TEXT} NOT NULL,
    run_id ${TEXT} NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    conversation_id ${TEXT} NOT NULL,
    server_id ${TEXT} NOT NULL,
    tool_name ${TEXT} NOT NULL,
    arguments ${TEXT} NOT NULL,
    definition ${TEXT} NOT NULL,
    status ${TEXT} NOT NULL,
    tab_id ${TEXT},
    fence BIGINT NOT NULL,
    result ${TEXT},
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (run_id, call_id)
  )`,
  `CREATE INDEX tab_calls_open ON tab_calls (owner_id) WHERE status IN ('open', 'claimed')`,
  `CREATE TABLE tab_questions (
    owner_id ${TEXT} NOT NULL,
    run_id ${TEXT} NOT NULL,
    call_id ${TEXT} NOT NULL,
    id ${TEXT} NOT NULL,
    question ${TEXT} NOT NULL,
    answer ${TEXT},
    PRIMARY KEY (run_id, call_id, id),
    FOREIGN KEY (run_id, call_id) REFERENCES tab_calls (run_id, call_id) ON DELETE CASCADE
  )`,
];
