/** Byte order, as everywhere: what the language of the machine makes of it is nobody's business. */
const TEXT = 'TEXT COLLATE "C"';

/** The last commit of each run whose holder numbers them: what was answered to it, for when it is sent again. */
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
