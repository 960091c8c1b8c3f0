/** Groups of agents, and the conversations that they answer in. No foreign key: a conversation outlives its group. */
export const groups: readonly string[] = [
  `CREATE TABLE groups (
    id TEXT PRIMARY KEY,
    owner_id TEXT NOT NULL,
    title TEXT NOT NULL,
    definition TEXT NOT NULL,
    version INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT`,
  `CREATE INDEX groups_of_owner ON groups (owner_id, title)`,
  `ALTER TABLE conversations ADD COLUMN group_id TEXT`,
];
