import type { ColumnTypes } from '../../migrations/001-baseline/column-types.ts';
import { conversationTables } from '../../migrations/001-baseline/conversations.ts';
import { ownerTables } from '../../migrations/001-baseline/owners.ts';
import { runTables } from '../../migrations/001-baseline/runs.ts';
import { addToUsageTotals } from '../../migrations/001-baseline/usage-totals.ts';

/** Compared bytewise regardless of the locale, so that both engines have the same order. */
const TEXT = 'TEXT COLLATE "C"';

const TYPES: ColumnTypes = {
  text: TEXT,
  json: 'TEXT',
  int: 'BIGINT',
  small: 'INTEGER',
  real: 'DOUBLE PRECISION',
  bytes: 'BYTEA',
  number: 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
  rows: '',
  keyed: '',
  // Free space in the page keeps the new row version there, and the indexes unchanged (HOT).
  hotRows: 'WITH (fillfactor = 50)',
};

const usageTotals = addToUsageTotals({
  stored: 'stored.',
  // Differs per connection: transactions that add to the same day neither wait for each other nor deadlock.
  slot: 'pg_backend_pid() % 1024',
  // OLD is null for an INSERT.
  value: (column) => `new.${column} - coalesce(old.${column}, 0)`,
});

/** All tables of the first release. */
export const baseline: readonly string[] = [
  ...conversationTables(TYPES),
  ...runTables(TYPES),
  ...ownerTables(TYPES),

  // Tables that are dropped leave their functions behind.
  `CREATE OR REPLACE FUNCTION add_to_usage_totals() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
    ${usageTotals}
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER usage_sums_written AFTER INSERT OR UPDATE ON usage_sums
    FOR EACH ROW EXECUTE FUNCTION add_to_usage_totals()`,

  // Equal bytes are stored once; each row of blobs grants one owner access. Most are images, which are already
  // compressed. `object_name`: the object with the bytes, unless they are in the row.
  `CREATE TABLE blob_bytes (
    sha256 ${TEXT} NOT NULL PRIMARY KEY,
    bytes BYTEA NOT NULL,
    object_name TEXT
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
  `CREATE INDEX blobs_by_time ON blobs (owner_id, created_at, size)`,

  // Full-text index: a message or, with an empty `message_id`, the title of a conversation.
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
  // The newest ones of an owner, without the index of words.
  `CREATE INDEX search_rows_titles ON search_rows (owner_id, id) WHERE message_id = ''`,
  `CREATE INDEX search_rows_messages ON search_rows (owner_id, id) WHERE message_id <> ''`,

  // Notifications between processes, which may be lost in a crash.
  `CREATE UNLOGGED TABLE bulletins (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    sender TEXT NOT NULL,
    body TEXT NOT NULL,
    told_at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp()
  )`,
  // Processes, and the MCP servers each one holds. Describes running processes, so it may be lost in a crash of the
  // database; they announce their servers again.
  `CREATE UNLOGGED TABLE processes (
    id ${TEXT} NOT NULL PRIMARY KEY,
    role TEXT NOT NULL,
    address TEXT,
    started_at BIGINT NOT NULL,
    until BIGINT NOT NULL
  )`,
  // The catalogue is kept without a holder, so that a server is shown during failover.
  `CREATE UNLOGGED TABLE held_servers (
    owner_id ${TEXT} NOT NULL,
    server_id ${TEXT} NOT NULL,
    holder ${TEXT},
    address TEXT,
    lease_until BIGINT NOT NULL,
    version BIGINT NOT NULL,
    catalogue TEXT,
    PRIMARY KEY (owner_id, server_id)
  )`,
  `CREATE INDEX held_servers_of_holder ON held_servers (holder) WHERE holder IS NOT NULL`,

  // The salt of this installation's keys, and the fingerprint by which a process verifies that its key is the one the
  // stored secrets were sealed with.
  `CREATE TABLE installation (
    one INTEGER PRIMARY KEY DEFAULT 1 CHECK (one = 1),
    salt TEXT NOT NULL,
    key_fingerprint TEXT
  )`,
  `INSERT INTO installation (salt) VALUES (replace(CAST(gen_random_uuid() AS TEXT), '-', ''))`,
];
