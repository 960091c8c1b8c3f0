import type { ColumnTypes } from './column-types.ts';

/** Settings, credentials and notifications of owners, and what starts runs without them. */
export const ownerTables = ({ text, json, int, small, bytes, rows, keyed }: ColumnTypes): string[] => [
  `CREATE TABLE settings (
    owner_id ${text} NOT NULL,
    key ${text} NOT NULL,
    value ${json} NOT NULL,
    updated_at ${int} NOT NULL,
    PRIMARY KEY (owner_id, key)
  ) ${keyed}`,

  // Without a conversation the decision applies everywhere. `origin`: a tool of a server or of a browser tab.
  `CREATE TABLE permissions (
    owner_id ${text} NOT NULL,
    conversation_id ${text} REFERENCES conversations (id) ON DELETE CASCADE,
    server_id ${text} NOT NULL,
    tool_name ${text} NOT NULL,
    origin ${text} NOT NULL,
    decision ${text} NOT NULL,
    decided_at ${int} NOT NULL
  ) ${rows}`,
  `CREATE UNIQUE INDEX permissions_one ON permissions (owner_id, coalesce(conversation_id, ''), server_id, tool_name)`,
  `CREATE INDEX permissions_of_conversation ON permissions (conversation_id) WHERE conversation_id IS NOT NULL`,

  `CREATE TABLE secrets (
    owner_id ${text} NOT NULL,
    name ${text} NOT NULL,
    sealed ${bytes} NOT NULL,
    updated_at ${int} NOT NULL,
    PRIMARY KEY (owner_id, name)
  ) ${keyed}`,

  // Sign-ins to MCP servers: versioned rows, so that no process deletes what another has just written.
  `CREATE TABLE sign_ins (
    owner_id ${text} NOT NULL,
    key ${text} NOT NULL,
    version ${text} NOT NULL,
    sealed ${bytes} NOT NULL,
    expires_at ${int},
    updated_at ${int} NOT NULL,
    PRIMARY KEY (owner_id, key)
  ) ${keyed}`,

  // Signed-in browsers, codes of sign-in links, and API keys. Credentials are stored only as SHA-256 hashes.
  `CREATE TABLE sessions (
    id ${text} NOT NULL PRIMARY KEY,
    owner_id ${text} NOT NULL,
    token_hash ${text} NOT NULL UNIQUE,
    secret_hash ${text} NOT NULL,
    user_agent ${text} NOT NULL,
    created_at ${int} NOT NULL,
    last_used_at ${int} NOT NULL,
    expires_at ${int} NOT NULL
  ) ${keyed}`,

  `CREATE TABLE sign_in_codes (
    code_hash ${text} NOT NULL PRIMARY KEY,
    owner_id ${text} NOT NULL,
    expires_at ${int} NOT NULL
  ) ${keyed}`,

  `CREATE TABLE api_keys (
    id ${text} NOT NULL PRIMARY KEY,
    owner_id ${text} NOT NULL,
    key_hash ${text} NOT NULL UNIQUE,
    name ${text} NOT NULL,
    start ${text} NOT NULL,
    scopes ${text} NOT NULL,
    limits ${text},
    created_at ${int} NOT NULL,
    expires_at ${int},
    last_used_at ${int}
  ) ${keyed}`,

  `CREATE TABLE idempotency_keys (
    owner_id ${text} NOT NULL,
    credential ${text} NOT NULL,
    name ${text} NOT NULL,
    digest ${text} NOT NULL,
    run_id ${text} NOT NULL,
    created_at ${int} NOT NULL,
    PRIMARY KEY (owner_id, credential, name)
  ) ${keyed}`,

  `CREATE TABLE rate_counters (
    subject ${text} NOT NULL,
    span ${text} NOT NULL,
    started_at ${int} NOT NULL,
    count ${small} NOT NULL,
    PRIMARY KEY (subject, span, started_at)
  ) ${keyed}`,

  `CREATE TABLE webhooks (
    owner_id ${text} NOT NULL PRIMARY KEY,
    url ${text} NOT NULL,
    events ${text} NOT NULL,
    origin ${text} NOT NULL,
    updated_at ${int} NOT NULL
  ) ${keyed}`,

  `CREATE TABLE email_subscriptions (
    owner_id ${text} NOT NULL PRIMARY KEY,
    events ${text} NOT NULL
  ) ${keyed}`,

  // Pending notifications.
  `CREATE TABLE announcements (
    id ${text} NOT NULL PRIMARY KEY,
    owner_id ${text} NOT NULL,
    event ${text} NOT NULL,
    channel ${text} NOT NULL DEFAULT 'webhook',
    run_id ${text} NOT NULL,
    interrupt_id ${text},
    happened_at ${int} NOT NULL,
    attempts ${small} NOT NULL DEFAULT 0,
    due_at ${int} NOT NULL
  ) ${keyed}`,
  `CREATE INDEX announcements_by_due ON announcements (due_at)`,

  // Tasks that run at given times, and what happened at each of their times.
  `CREATE TABLE schedules (
    id ${text} PRIMARY KEY,
    owner_id ${text} NOT NULL,
    title ${text} NOT NULL,
    schedule ${text} NOT NULL,
    enabled ${small} NOT NULL,
    created_by ${text} NOT NULL,
    created_in ${text},
    next_at ${int},
    fired ${small} NOT NULL,
    counted_day ${text},
    fired_on_day ${small} NOT NULL,
    version ${small} NOT NULL,
    created_at ${int} NOT NULL,
    updated_at ${int} NOT NULL
  ) ${rows}`,
  `CREATE INDEX schedules_due ON schedules (next_at) WHERE enabled = 1 AND next_at IS NOT NULL`,
  `CREATE INDEX schedules_of_owner ON schedules (owner_id, title)`,

  `CREATE TABLE schedule_firings (
    schedule_id ${text} NOT NULL REFERENCES schedules (id) ON DELETE CASCADE,
    planned_at ${int} NOT NULL,
    owner_id ${text} NOT NULL,
    outcome ${text} NOT NULL,
    reason ${text},
    run_id ${text},
    conversation_id ${text},
    at ${int} NOT NULL,
    retry_at ${int},
    PRIMARY KEY (schedule_id, planned_at)
  ) ${keyed}`,
  `CREATE INDEX schedule_firings_open ON schedule_firings (retry_at) WHERE retry_at IS NOT NULL`,

  // Incoming webhooks and their deliveries. `task`: the message of a run that was not started yet.
  `CREATE TABLE triggers (
    id ${text} NOT NULL PRIMARY KEY,
    owner_id ${text} NOT NULL,
    title ${text} NOT NULL,
    definition ${text} NOT NULL,
    enabled ${small} NOT NULL,
    version ${small} NOT NULL,
    created_at ${int} NOT NULL,
    updated_at ${int} NOT NULL
  ) ${keyed}`,
  `CREATE INDEX triggers_of_owner ON triggers (owner_id, title)`,

  `CREATE TABLE trigger_deliveries (
    trigger_id ${text} NOT NULL REFERENCES triggers (id) ON DELETE CASCADE,
    id ${text} NOT NULL,
    owner_id ${text} NOT NULL,
    at ${int} NOT NULL,
    outcome ${text} NOT NULL,
    reason ${text},
    run_id ${text},
    conversation_id ${text},
    task ${text},
    retry_at ${int},
    PRIMARY KEY (trigger_id, id)
  ) ${keyed}`,
  `CREATE INDEX trigger_deliveries_latest ON trigger_deliveries (trigger_id, at)`,
  `CREATE INDEX trigger_deliveries_open ON trigger_deliveries (retry_at) WHERE retry_at IS NOT NULL`,
];
