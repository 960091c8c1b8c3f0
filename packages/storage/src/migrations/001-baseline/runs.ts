import type { ColumnTypes } from './column-types.ts';

/** Runs with their events and calls, the part that browser tabs have in them, and what they used. */
export const runTables = ({ text, json, int, small, real, number, rows, keyed, hotRows }: ColumnTypes): string[] => [
  // Kept small, because it is updated with every flush; large values are in run_states. `compacted`: number of deleted
  // events of an ended run, null before compaction. Each filter of the list of runs has an index in the order of the list.
  `CREATE TABLE runs (
    id ${text} NOT NULL PRIMARY KEY,
    owner_id ${text} NOT NULL,
    conversation_id ${text} NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    agent_id ${text},
    parent_run_id ${text} REFERENCES runs (id) ON DELETE CASCADE,
    origin ${text} NOT NULL DEFAULT 'chat',
    started_by ${text},
    place ${text} NOT NULL,
    status ${text} NOT NULL,
    last_seq ${int} NOT NULL,
    fence ${int} NOT NULL,
    lease_owner ${text},
    lease_until ${int},
    created_at ${int} NOT NULL,
    updated_at ${int} NOT NULL,
    ended_at ${int},
    compacted ${int}
  ) ${hotRows}`,
  `CREATE UNIQUE INDEX runs_one_active ON runs (conversation_id)
    WHERE parent_run_id IS NULL AND status IN ('queued', 'running', 'parked', 'waiting_for_tab')`,
  `CREATE INDEX runs_active ON runs (status, created_at)
    WHERE status IN ('queued', 'running', 'parked', 'waiting_for_tab')`,
  `CREATE INDEX runs_leased ON runs (lease_owner) WHERE lease_owner IS NOT NULL`,
  `CREATE INDEX runs_of_conversation ON runs (conversation_id, created_at)`,
  `CREATE INDEX runs_of_parent ON runs (parent_run_id) WHERE parent_run_id IS NOT NULL`,
  `CREATE INDEX runs_of_owner ON runs (owner_id, created_at, id)`,
  `CREATE INDEX runs_to_compact ON runs (ended_at) WHERE ended_at IS NOT NULL AND compacted IS NULL`,
  `CREATE INDEX runs_started_by ON runs (started_by, updated_at) WHERE started_by IS NOT NULL`,
  `CREATE INDEX runs_by_status ON runs (owner_id, status, created_at, id)`,
  `CREATE INDEX runs_by_origin ON runs (owner_id, origin, created_at, id)`,
  `CREATE INDEX runs_by_agent ON runs (owner_id, agent_id, created_at, id) WHERE agent_id IS NOT NULL`,

  `CREATE TABLE run_states (
    run_id ${text} NOT NULL PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    owner_id ${text} NOT NULL,
    configuration ${json},
    state ${json}
  ) ${rows}`,

  `CREATE TABLE run_events (
    run_id ${text} NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    seq ${int} NOT NULL,
    owner_id ${text} NOT NULL,
    v ${small} NOT NULL,
    step ${int} NOT NULL,
    attempt ${int} NOT NULL,
    at ${int} NOT NULL,
    type ${text} NOT NULL,
    body ${json} NOT NULL,
    PRIMARY KEY (run_id, seq)
  ) ${keyed}`,

  `CREATE TABLE run_inbox (
    position ${number},
    run_id ${text} NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    id ${text} NOT NULL,
    owner_id ${text} NOT NULL,
    kind ${text} NOT NULL,
    body ${json} NOT NULL,
    at ${int} NOT NULL,
    taken_at ${int},
    UNIQUE (run_id, id)
  ) ${rows}`,
  `CREATE INDEX run_inbox_waiting ON run_inbox (run_id, position) WHERE taken_at IS NULL`,

  `CREATE TABLE tool_ledger (
    position ${number},
    run_id ${text} NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    call_id ${text} NOT NULL,
    owner_id ${text} NOT NULL,
    server_id ${text} NOT NULL,
    tool_name ${text} NOT NULL,
    arguments ${json} NOT NULL,
    edited ${small} NOT NULL DEFAULT 0,
    status ${text} NOT NULL,
    detail ${json},
    updated_at ${int} NOT NULL,
    UNIQUE (run_id, call_id)
  ) ${rows}`,

  `CREATE TABLE interrupts (
    id ${text} NOT NULL PRIMARY KEY,
    run_id ${text} NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    owner_id ${text} NOT NULL,
    mode ${text} NOT NULL,
    status ${text} NOT NULL,
    interrupt ${json} NOT NULL,
    answer ${json},
    opened_at ${int} NOT NULL,
    answered_at ${int}
  ) ${rows}`,
  `CREATE INDEX interrupts_of_run ON interrupts (run_id, opened_at)`,
  `CREATE INDEX interrupts_of_owner ON interrupts (owner_id, status, opened_at)`,

  // The webhook of one run.
  `CREATE TABLE run_webhooks (
    run_id ${text} NOT NULL PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    owner_id ${text} NOT NULL,
    url ${text} NOT NULL,
    trusted ${small} NOT NULL,
    state ${text} NOT NULL DEFAULT 'waiting',
    failures ${small} NOT NULL DEFAULT 0,
    error ${text}
  ) ${keyed}`,

  // Tools that browser tabs provide to runs on the server, calls of them, and questions asked during a call.
  `CREATE TABLE tab_offers (
    owner_id ${text} NOT NULL,
    conversation_id ${text} NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    tab_id ${text} NOT NULL,
    servers ${text} NOT NULL,
    seen_until ${int} NOT NULL,
    offered_at ${int} NOT NULL,
    PRIMARY KEY (conversation_id, tab_id)
  ) ${keyed}`,
  `CREATE INDEX tab_offers_of_tab ON tab_offers (owner_id, tab_id)`,

  `CREATE TABLE tab_calls (
    owner_id ${text} NOT NULL,
    call_id ${text} NOT NULL,
    run_id ${text} NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    conversation_id ${text} NOT NULL,
    server_id ${text} NOT NULL,
    tool_name ${text} NOT NULL,
    arguments ${text} NOT NULL,
    definition ${text} NOT NULL,
    status ${text} NOT NULL,
    tab_id ${text},
    fence ${int} NOT NULL,
    result ${text},
    updated_at ${int} NOT NULL,
    PRIMARY KEY (run_id, call_id)
  ) ${keyed}`,
  `CREATE INDEX tab_calls_open ON tab_calls (owner_id) WHERE status IN ('open', 'claimed')`,

  `CREATE TABLE tab_questions (
    owner_id ${text} NOT NULL,
    run_id ${text} NOT NULL,
    call_id ${text} NOT NULL,
    id ${text} NOT NULL,
    question ${text} NOT NULL,
    answer ${text},
    PRIMARY KEY (run_id, call_id, id),
    FOREIGN KEY (run_id, call_id) REFERENCES tab_calls (run_id, call_id) ON DELETE CASCADE
  ) ${keyed}`,

  // The last numbered commit of each run and its response, which is returned if the commit is sent again.
  `CREATE TABLE tab_commits (
    run_id ${text} NOT NULL PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    owner_id ${text} NOT NULL,
    fence ${int} NOT NULL,
    number ${int} NOT NULL,
    digest ${text} NOT NULL,
    last_seq ${int} NOT NULL,
    inbox_waits ${int} NOT NULL
  ) ${keyed}`,

  // One row for all calls of one model or tool in a run.
  `CREATE TABLE usage_sums (
    owner_id ${text} NOT NULL,
    day ${text} NOT NULL,
    run_id ${text} NOT NULL,
    kind ${text} NOT NULL,
    source ${text} NOT NULL,
    name ${text} NOT NULL,
    for_tool ${text} NOT NULL,
    place ${text} NOT NULL,
    conversation_id ${text} NOT NULL,
    agent_id ${text} NOT NULL,
    ${usageColumns({ int, real })},
    PRIMARY KEY (owner_id, day, run_id, kind, source, name, for_tool, place)
  ) ${keyed}`,
  `CREATE INDEX usage_of_conversation ON usage_sums (conversation_id, run_id) WHERE conversation_id <> ''`,

  // Usage summed per day, so that totals and budgets do not read one row per run. Triggers of each engine maintain it in
  // the transaction that writes usage_sums. `slot`: 0 on SQLite; on PostgreSQL it separates connections.
  `CREATE TABLE usage_days (
    owner_id ${text} NOT NULL,
    day ${text} NOT NULL,
    kind ${text} NOT NULL,
    source ${text} NOT NULL,
    name ${text} NOT NULL,
    for_tool ${text} NOT NULL,
    agent_id ${text} NOT NULL,
    slot ${small} NOT NULL,
    ${usageColumns({ int, real })},
    PRIMARY KEY (owner_id, day, kind, source, name, for_tool, agent_id, slot)
  ) ${keyed}`,

  // Usage summed per conversation, for the report of all days. Maintained like usage_days.
  `CREATE TABLE usage_conversations (
    owner_id ${text} NOT NULL,
    conversation_id ${text} NOT NULL,
    tool_calls ${int} NOT NULL,
    ${usageColumns({ int, real })},
    PRIMARY KEY (owner_id, conversation_id)
  ) ${keyed}`,
  `CREATE INDEX usage_conversations_listed ON usage_conversations (owner_id, cost DESC, calls DESC, conversation_id)`,
];

const usageColumns = ({ int, real }: Pick<ColumnTypes, 'int' | 'real'>): string => `calls ${int} NOT NULL,
    failures ${int} NOT NULL,
    duration_ms ${int} NOT NULL,
    input_tokens ${int},
    output_tokens ${int},
    cached_input_tokens ${int},
    cache_write_tokens ${int},
    reasoning_tokens ${int},
    cost ${real} NOT NULL,
    unpriced ${int} NOT NULL,
    uncounted ${int} NOT NULL`;
