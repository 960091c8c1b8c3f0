/** The presentation of agents, the agent that a queued message is for, and conversations that are not listed. */
export const agents: readonly string[] = [
  `ALTER TABLE agents ADD COLUMN profile TEXT`,
  `ALTER TABLE queued_messages ADD COLUMN agent_id TEXT`,
  `ALTER TABLE conversations ADD COLUMN temporary INTEGER NOT NULL DEFAULT 0`,
  `CREATE INDEX conversations_temporary ON conversations (updated_at) WHERE temporary = 1`,
];
