/**
 * Full-text index. `search_rows` maps each indexed text to a message or, with an empty `message_id`, to the title of a
 * conversation. The index stores only tokens, no text; `search_text(text)` is a function of Toolyard
 * (`search-text.ts`), registered on the migrating connection. The prefix index keeps searches for one letter fast,
 * which would otherwise merge all words with that letter.
 */
export const search: readonly string[] = [
  `CREATE TABLE search_rows (
    id INTEGER PRIMARY KEY,
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    message_id TEXT NOT NULL,
    owner_id TEXT NOT NULL,
    UNIQUE (conversation_id, message_id)
  ) STRICT`,
  `CREATE VIRTUAL TABLE search_index USING fts5 (
    title, body, content = '', contentless_delete = 1, tokenize = 'unicode61', prefix = '1 2'
  )`,
  // Also fires for rows deleted with their conversation.
  `CREATE TRIGGER search_rows_deleted AFTER DELETE ON search_rows BEGIN
    DELETE FROM search_index WHERE rowid = old.id;
  END`,

  `INSERT INTO search_rows (conversation_id, message_id, owner_id)
    SELECT id, '', owner_id FROM conversations ORDER BY created_at, id`,
  `INSERT INTO search_rows (conversation_id, message_id, owner_id)
    SELECT conversation_id, id, owner_id FROM messages
    WHERE role IN ('user', 'assistant') AND coalesce(json_extract(message, '$.finishReason'), '') <> 'pending'
    ORDER BY created_at, id`,
  `INSERT INTO search_index (rowid, title, body)
    SELECT s.id, search_text(c.title), ''
    FROM search_rows AS s JOIN conversations AS c ON c.id = s.conversation_id WHERE s.message_id = ''`,
  `INSERT INTO search_index (rowid, title, body)
    SELECT s.id, '', search_text((
      SELECT coalesce(group_concat(json_extract(p.value, '$.text'), char(10)), '')
      FROM json_each(m.message, '$.parts') AS p WHERE json_extract(p.value, '$.type') = 'text'))
    FROM search_rows AS s JOIN messages AS m ON m.conversation_id = s.conversation_id AND m.id = s.message_id
    WHERE s.message_id <> ''`,
];
