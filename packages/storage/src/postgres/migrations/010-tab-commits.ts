/** Byte order, as in the other tables: independent of the locale of the database. */
const TEXT = 'TEXT COLLATE "C"';

/** The last numbered commit of each run and its response, which is returned if the commit is sent again. */
export const tabCommits: readonly string[] = [
  `CREATE TABLE tab_commits (
    run_id ${TEXT} NOT NULL PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    owner_id ${TEXT} NOT NULL,
    fence BIGINT NOT NULL,
    number BIGINT NOT NULL,
    digest ${TEXT} NOT NULL,
    last_seq BIGINT NOT NULL,
    inbox_waits BIGINT NOT NULL
  )`,
];
