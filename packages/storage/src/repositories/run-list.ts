import type { Owner, RunOrigin, RunStatus, RunSummary } from '@toolyard/protocol';
import type { StorageEngine } from '../engine/engine.ts';
import type { Statement, Value } from '../engine/work.ts';
import { statements } from '../engine/work.ts';
import type { RunRow } from '../runs/run-rows.ts';
import { RUN_COLUMNS, toRunRecord } from '../runs/run-rows.ts';

/** The run after which a page begins: the last one of the previous page. */
export type RunPosition = Pick<RunSummary, 'createdAt' | 'id'>;

export type RunListQuery = {
  conversationIds?: readonly string[];
  agentId?: string;
  parentRunId?: string;
  origin?: RunOrigin;
  /** Runs that this key or incoming webhook started. */
  startedBy?: string;
  statuses?: readonly RunStatus[];
  /** With or without open interrupts. */
  asks?: boolean;
  /** Runs that started at or after `from` and before `until`. */
  from?: number;
  until?: number;
  before?: RunPosition;
  limit: number;
};

/** The runs of an owner, with what a list shows of each. Runs of deleted conversations are not found. */
export type RunListRepository = {
  /** Newest first. */
  list(principal: Owner, query: RunListQuery): Promise<RunSummary[]>;
  /**
   * The runs above a run, and all below the topmost one: at most `limit`, the earliest first. Empty if the owner has no
   * such run.
   */
  tree(principal: Owner, runId: string, limit: number): Promise<RunSummary[]>;
};

type Row = RunRow & {
  origin: RunOrigin;
  title: string;
  asks: number;
  dollars: number;
  tokens: number;
  calls: number;
  unpriced: number;
};

// Scalar subqueries: a planner without statistics turns EXISTS into joins of whole tables.
const OPEN = "(SELECT 1 FROM interrupts AS i WHERE i.run_id = r.id AND i.status = 'open' LIMIT 1)";
const KEPT = '(SELECT c.deleted_at IS NULL FROM conversations AS c WHERE c.id = r.conversation_id)';
const NEWEST_FIRST = 'r.created_at DESC, r.id DESC';

const sum = (values: string): string => `(SELECT coalesce(sum(${values}), 0) FROM usage_sums
  WHERE conversation_id <> '' AND conversation_id = r.conversation_id AND run_id = r.id AND kind = 'model')`;

/** A SELECT of the runs whose ids `ids` selects. */
const summaries = (ids: string, order: string): string => `
  SELECT ${RUN_COLUMNS.replaceAll(/\w+/g, (column) => `r.${column}`)}, r.origin,
    (SELECT c.title FROM conversations AS c WHERE c.id = r.conversation_id) AS title,
    (SELECT count(*) FROM interrupts AS i WHERE i.run_id = r.id AND i.status = 'open') AS asks,
    ${sum('cost')} AS dollars,
    CAST(${sum('coalesce(input_tokens, 0) + coalesce(output_tokens, 0)')} AS BIGINT) AS tokens,
    CAST(${sum('calls')} AS BIGINT) AS calls, CAST(${sum('unpriced')} AS BIGINT) AS unpriced
  FROM (${ids}) AS found JOIN runs AS r ON r.id = found.id ORDER BY ${order}`;

export function createRunListRepository(engine: StorageEngine): RunListRepository {
  // Nullable parameters prevent the use of an index: each combination of filters is a statement of its own.
  const prepared = new Map<string, Statement<Row>>();
  function prepare(sql: string): Statement<Row> {
    const statement = prepared.get(sql) ?? engine.prepare<Row>(sql);
    prepared.set(sql, statement);
    return statement;
  }

  const tree = engine.prepare<Row>(
    summaries(
      `WITH RECURSIVE above (id, parent) AS (
        SELECT id, parent_run_id FROM runs WHERE id = ?1 AND owner_id = ?2
        UNION SELECT r.id, r.parent_run_id FROM runs AS r JOIN above ON r.id = above.parent
      ), tree (id) AS (
        SELECT id FROM above WHERE parent IS NULL
        UNION SELECT r.id FROM tree CROSS JOIN runs AS r WHERE r.parent_run_id = tree.id
      ) SELECT r.id FROM tree CROSS JOIN runs AS r WHERE r.id = tree.id AND ${KEPT} ORDER BY r.created_at, r.id LIMIT ?3`,
      'r.created_at, r.id',
    ),
  );

  return {
    async list(principal, query) {
      const { sql, values } = selectIds(engine.sql, principal, query);
      const rows = await engine.perform(statements(() => prepare(summaries(sql, NEWEST_FIRST)).all(...values)));
      return rows.map(toSummary);
    },
    async tree({ ownerId }, runId, limit) {
      return (await engine.perform(statements(() => tree.all(runId, ownerId, limit)))).map(toSummary);
    },
  };
}

/** The ids of a page, without those that only the details of a row need. */
export function selectIds(
  sql: Pick<StorageEngine['sql'], 'selectTexts'>,
  { ownerId }: Owner,
  query: RunListQuery,
): { sql: string; values: readonly Value[] } {
  const { conversationIds, agentId, parentRunId, origin, startedBy, statuses, asks, from, until, before, limit } =
    query;
  const values: Value[] = [];
  const bind = (value: Value): string => `?${values.push(value)}`;

  // CROSS JOIN: SQLite keeps this order, and begins with the few rows.
  const sources: string[] = [];
  const conditions = [`r.owner_id = ${bind(ownerId)}`];
  if (conversationIds) {
    sources.push(
      `(${sql.selectTexts(bind(JSON.stringify(conversationIds)))}) AS named CROSS JOIN conversations AS c CROSS JOIN`,
    );
    conditions.push('c.id = named.value AND c.deleted_at IS NULL AND r.conversation_id = c.id');
  } else conditions.push(KEPT);
  if (parentRunId !== undefined) {
    sources.push(`(SELECT id FROM runs WHERE parent_run_id = ${bind(parentRunId)}) AS child CROSS JOIN`);
    conditions.push('r.id = child.id');
  }
  if (agentId !== undefined) conditions.push(`r.agent_id = ${bind(agentId)}`);
  if (origin !== undefined) conditions.push(`r.origin = ${bind(origin)}`);
  if (startedBy !== undefined) conditions.push(`r.started_by = ${bind(startedBy)}`);
  if (asks !== undefined) conditions.push(`${OPEN} IS ${asks ? 'NOT NULL' : 'NULL'}`);
  if (from !== undefined) conditions.push(`r.created_at >= ${bind(from)}`);
  if (until !== undefined) conditions.push(`r.created_at < ${bind(until)}`);
  if (before) conditions.push(`(r.created_at, r.id) < (${bind(before.createdAt)}, ${bind(before.id)})`);
  const most = bind(limit);
  const page = (more: string[]): string =>
    `SELECT r.id, r.created_at FROM ${sources.join(' ')} runs AS r WHERE ${[...conditions, ...more].join(' AND ')}
    ORDER BY ${NEWEST_FIRST} LIMIT ${most}`;
  // An index has each status in the order of the list, but not several together.
  const pages = statuses?.map((status) => page([`r.status = ${bind(status)}`])) ?? [page([])];
  if (pages.length === 1) return { sql: pages[0] ?? page([]), values };
  const together = pages.map((each, index) => `SELECT id, created_at FROM (${each}) AS part_${index}`);
  return {
    sql: `SELECT id FROM (${together.join(' UNION ALL ')}) AS r ORDER BY ${NEWEST_FIRST} LIMIT ${most}`,
    values,
  };
}

function toSummary(row: Row): RunSummary {
  const { origin, title, asks, dollars, tokens, calls, unpriced } = row;
  return { ...toRunRecord(row), origin, title, asks, spent: { dollars, tokens, calls, unpriced } };
}
