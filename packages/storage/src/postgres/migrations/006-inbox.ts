/** Byte order, as in the other tables: independent of the locale of the database. */
const TEXT = 'TEXT COLLATE "C"';

/** Webhooks, pending notifications, and whether the user edited the arguments of a call. */
export const inbox: readonly string[] = [
  `CREATE TABLE webhooks (
    owner_id ${TEXT} NOT NULL PRIMARY KEY,
    url ${TEXT} NOT NULL,
    events ${TEXT} NOT NULL,
    origin ${TEXT} NOT NULL,
    updated_at BIGINT NOT NULL
  )`,
  `CREATE TABLE announcements (
    id ${TEXT} NOT NULL PRIMARY KEY,
    owner_id ${TEXT} NOT NULL,
    event ${TEXT} NOT NULL,
    run_id ${TEXT} NOT NULL,
    interrupt_id ${TEXT},
    happened_at BIGINT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    due_at BIGINT NOT NULL
  )`,
  `CREATE INDEX announcements_by_due ON announcements (due_at)`,
  `ALTER TABLE tool_ledger ADD COLUMN edited INTEGER NOT NULL DEFAULT 0`,
];
