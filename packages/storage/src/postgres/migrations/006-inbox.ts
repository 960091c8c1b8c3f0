/** Byte order, as everywhere: what the language of the machine makes of it is nobody's business. */
const TEXT = 'TEXT COLLATE "C"';

/** Where to tell of what happens, what is yet to be told, and whose arguments a call was made with. */
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
