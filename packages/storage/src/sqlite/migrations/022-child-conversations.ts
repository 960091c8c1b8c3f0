/**
 * A conversation of a sub-agent belongs to a call of another run. No foreign key: a copy writes rows in the order of
 * their ids, and deleting is done together with the parent.
 */
export const childConversations: readonly string[] = [
  'ALTER TABLE conversations ADD COLUMN parent_id TEXT',
  'ALTER TABLE conversations ADD COLUMN parent_run_id TEXT',
  'ALTER TABLE conversations ADD COLUMN parent_call_id TEXT',
  'CREATE INDEX conversations_of_parent ON conversations (parent_id) WHERE parent_id IS NOT NULL',
];
