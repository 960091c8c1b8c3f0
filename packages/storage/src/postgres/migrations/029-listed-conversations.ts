/** The list of conversations is read in its order, without those that it leaves out; the blobs of a day are summed. */
export const listedConversations: readonly string[] = [
  `CREATE INDEX conversations_listed ON conversations (owner_id, temporary, pinned, updated_at, id)
    WHERE parent_id IS NULL AND deleted_at IS NULL`,
  `CREATE INDEX conversations_in_trash ON conversations (owner_id, pinned, updated_at, id) WHERE deleted_at IS NOT NULL`,
  `CREATE INDEX blobs_by_time ON blobs (owner_id, created_at, size)`,
  `DROP INDEX conversations_of_owner`,
];
