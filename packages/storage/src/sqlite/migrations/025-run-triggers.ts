/**
 * Limits of API keys, runs that were started by a key or an incoming webhook, the webhook of one run, idempotency keys,
 * and counters of rate limits.
 */
export const runTriggers: readonly string[] = [
  `ALTER TABLE api_keys ADD COLUMN limits TEXT`,
  `ALTER TABLE runs ADD COLUMN started_by TEXT`,
  `CREATE INDEX runs_started_by ON runs (started_by, updated_at) WHERE started_by IS NOT NULL`,
  `CREATE TABLE run_webhooks (
    run_id TEXT NOT NULL PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    owner_id TEXT NOT NULL,
    url TEXT NOT NULL,
    trusted INTEGER NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting',
    failures INTEGER NOT NULL DEFAULT 0,
    error TEXT
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE idempotency_keys (
    owner_id TEXT NOT NULL,
    credential TEXT NOT NULL,
    name TEXT NOT NULL,
    digest TEXT NOT NULL,
    run_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (owner_id, credential, name)
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE rate_counters (
    subject TEXT NOT NULL,
    span TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (subject, span, started_at)
  ) STRICT, WITHOUT ROWID`,
];
