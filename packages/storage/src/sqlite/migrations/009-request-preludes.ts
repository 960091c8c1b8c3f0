/** What goes along with many requests to models and changes seldom, by a hash of it: notes of servers, tools. */
export const requestPreludes: readonly string[] = [
  `CREATE TABLE request_preludes (
    owner_id TEXT NOT NULL,
    id TEXT NOT NULL,
    prelude TEXT NOT NULL,
    made_at INTEGER NOT NULL,
    PRIMARY KEY (owner_id, id)
  ) STRICT, WITHOUT ROWID`,
];
