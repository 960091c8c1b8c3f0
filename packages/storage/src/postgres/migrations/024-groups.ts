/** Byte order, as in the other tables: independent of the locale of the database. */
const TEXT = 'TEXT COLLATE "C"';

/** Groups of agents, and the conversations that they answer in. No foreign key: a conversation outlives its group. */
export const groups: readonly string[] = [
  `CREATE TABLE groups (
    id ${TEXT} PRIMARY KEY,
    owner_id ${TEXT} NOT NULL,
    title ${TEXT} NOT NULL,
    definition ${TEXT} NOT NULL,
    version INTEGER NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
  )`,
  `CREATE INDEX groups_of_owner ON groups (owner_id, title)`,
  `ALTER TABLE conversations ADD COLUMN group_id ${TEXT}`,
];
