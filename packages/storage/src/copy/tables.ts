/** A table of both engines, with its key and order. */
export type CopiedTable = {
  name: string;
  /** Columns or expressions that identify a row. */
  key: readonly string[];
  /** Has an auto-incremented number. */
  numbered?: true;
  /** Columns about a process that no longer exists. */
  excludedColumns?: readonly string[];
};

/**
 * In this order: referenced tables first. Full-text index and daily usage are rebuilt; the bytes of blobs are copied
 * before all tables.
 */
export const COPIED_TABLES: readonly CopiedTable[] = [
  { name: 'conversations', key: ['id'] },
  { name: 'messages', key: ['conversation_id', 'id'] },
  { name: 'agents', key: ['id'] },
  { name: 'groups', key: ['id'] },
  { name: 'settings', key: ['owner_id', 'key'] },
  { name: 'runs', key: ['id'], excludedColumns: ['lease_owner', 'lease_until'] },
  { name: 'run_states', key: ['run_id'] },
  { name: 'run_events', key: ['run_id', 'seq'] },
  { name: 'run_inbox', key: ['position'], numbered: true },
  { name: 'tool_ledger', key: ['position'], numbered: true },
  { name: 'interrupts', key: ['id'] },
  { name: 'queued_messages', key: ['conversation_id', 'id'] },
  { name: 'drafts', key: ['owner_id', "coalesce(conversation_id, '')"] },
  { name: 'artifacts', key: ['conversation_id', 'id', 'version'] },
  { name: 'memories', key: ['id'] },
  { name: 'translations', key: ['conversation_id', 'message_id'] },
  { name: 'permissions', key: ['owner_id', "coalesce(conversation_id, '')", 'server_id', 'tool_name'] },
  { name: 'secrets', key: ['owner_id', 'name'] },
  { name: 'sign_ins', key: ['owner_id', 'key'] },
  { name: 'sessions', key: ['id'] },
  { name: 'sign_in_codes', key: ['code_hash'] },
  { name: 'api_keys', key: ['id'] },
  { name: 'webhooks', key: ['owner_id'] },
  { name: 'email_subscriptions', key: ['owner_id'] },
  { name: 'announcements', key: ['id'] },
  { name: 'run_webhooks', key: ['run_id'] },
  { name: 'idempotency_keys', key: ['owner_id', 'credential', 'name'] },
  { name: 'rate_counters', key: ['subject', 'span', 'started_at'] },
  { name: 'request_preludes', key: ['conversation_id', 'id'] },
  {
    name: 'usage_sums',
    key: ['owner_id', 'day', 'run_id', 'kind', 'source', 'name', 'for_tool', 'place'],
  },
  { name: 'tab_offers', key: ['conversation_id', 'tab_id'] },
  { name: 'tab_calls', key: ['run_id', 'call_id'] },
  { name: 'tab_questions', key: ['run_id', 'call_id', 'id'] },
  { name: 'tab_commits', key: ['run_id'] },
  { name: 'schedules', key: ['id'] },
  { name: 'schedule_firings', key: ['schedule_id', 'planned_at'] },
  { name: 'triggers', key: ['id'] },
  { name: 'trigger_deliveries', key: ['trigger_id', 'id'] },
  { name: 'blobs', key: ['owner_id', 'sha256'] },
];
