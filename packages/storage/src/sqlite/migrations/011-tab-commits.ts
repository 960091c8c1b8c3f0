/** The last numbered commit of each run and its response, which is returned if the commit is sent again. */
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
