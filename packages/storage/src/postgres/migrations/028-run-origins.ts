/**
 * What started a run, and indexes for the list of all runs: each filter is read in the order of the list. The usage of
 * one run is found without that of the other runs of its conversation.
 */
export const runOrigins: readonly string[] = [
  `ALTER TABLE runs ADD COLUMN origin TEXT COLLATE "C" NOT NULL DEFAULT 'chat'`,
  `UPDATE runs SET origin = 'sub_agent' WHERE parent_run_id IS NOT NULL`,
  `UPDATE runs SET origin = 'schedule' WHERE id IN (SELECT run_id FROM schedule_firings WHERE run_id IS NOT NULL)`,
  `CREATE INDEX runs_by_status ON runs (owner_id, status, created_at, id)`,
  `CREATE INDEX runs_by_origin ON runs (owner_id, origin, created_at, id)`,
  `CREATE INDEX runs_by_agent ON runs (owner_id, agent_id, created_at, id) WHERE agent_id IS NOT NULL`,
  `DROP INDEX usage_of_conversation`,
  `CREATE INDEX usage_of_conversation ON usage_sums (conversation_id, run_id) WHERE conversation_id <> ''`,
];
