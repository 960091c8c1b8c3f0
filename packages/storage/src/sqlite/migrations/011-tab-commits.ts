/** The last commit of each run whose holder numbers them: what was answered to it, for when it is sent again. */
export const tabCommits: readonly string[] = [
  `CREATE TABLE tab_commits (
    run_id TEXT NOT NULL PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    owner_id TEXT NOT NULL,
    fence INTEGER NOT NULL,
    number INTEGER NOT NULL,
    digest TEXT NOT NULL,
    last_seq INTEGER NOT NULL,
    inbox_waits INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
];
