import type { ColumnTypes } from '../../migrations/001-baseline/column-types.ts';
import { conversationTables } from '../../migrations/001-baseline/conversations.ts';
import { ownerTables } from '../../migrations/001-baseline/owners.ts';
import { runTables } from '../../migrations/001-baseline/runs.ts';
import { addToUsageTotals } from '../../migrations/001-baseline/usage-totals.ts';

const TYPES: ColumnTypes = {
  text: 'TEXT',
  json: 'TEXT',
  int: 'INTEGER',
  small: 'INTEGER',
  real: 'REAL',
  bytes: 'BLOB',
  number: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  rows: 'STRICT',
  keyed: 'STRICT, WITHOUT ROWID',
  hotRows: 'STRICT',
};

const usageTotals = (value: (column: string) => string): string => addToUsageTotals({ stored: '', slot: '0', value });

/** All tables of the first release. */
export const baseline: readonly string[] = [
  ...conversationTables(TYPES),
  ...runTables(TYPES),
  ...ownerTables(TYPES),

  `CREATE TRIGGER usage_sums_inserted AFTER INSERT ON usage_sums BEGIN ${usageTotals((column) => `new.${column}`)} END`,
  `CREATE TRIGGER usage_sums_updated AFTER UPDATE ON usage_sums BEGIN
    ${usageTotals((column) => `new.${column} - coalesce(old.${column}, 0)`)}
  END`,

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
  `CREATE INDEX blobs_by_time ON blobs (owner_id, created_at, size)`,

  // Full-text index. A row of search_rows is a message or, with an empty `message_id`, the title of a conversation. The
  // index stores only tokens, no text. Its prefix index keeps searches for one letter fast, which would otherwise merge
  // all words with that letter.
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
];
