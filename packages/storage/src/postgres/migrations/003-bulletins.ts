/** Notifications between processes, which may be lost in a crash; and the salt of this installation's keys. */
export const bulletins: readonly string[] = [
  `CREATE UNLOGGED TABLE bulletins (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    sender TEXT NOT NULL,
    body TEXT NOT NULL,
    told_at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp()
  )`,
  `CREATE TABLE installation (
    one INTEGER PRIMARY KEY DEFAULT 1 CHECK (one = 1),
    salt TEXT NOT NULL
  )`,
  `INSERT INTO installation (salt) VALUES (replace(CAST(gen_random_uuid() AS TEXT), '-', ''))`,
];
