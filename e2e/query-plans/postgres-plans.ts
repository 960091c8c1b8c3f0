import pg from 'pg';
import type { Table } from '../../packages/storage/src/test-fixtures/grow-history.ts';
import { copyStatement, removeStatement } from '../../packages/storage/src/test-fixtures/grow-history.ts';
import type { GrowingStep } from './growing-step.ts';
import { isData } from './growing-step.ts';
import type { RecordedStatement } from './recorded-statements.ts';

/** Grows the history in a database, and collects statistics as its autovacuum does. */
export async function growPostgres(url: string, owner: string, copies: number): Promise<void> {
  await withClient(url, async (client) => {
    // Copies of rows need not name existing ones while they are written.
    await client.query('BEGIN');
    await client.query('SET LOCAL session_replication_role = replica');
    for (const table of await listTables(client)) {
      const copy = copyStatement(table, `(SELECT n FROM generate_series(1, ${copies}) AS made (n))`, owner);
      if (copy !== null) await client.query(`${copy}; ${removeStatement(table)}`);
    }
    await client.query('COMMIT');
    await client.query('ANALYZE');
  });
}

const UNIQUE_VIOLATION = '23505';

type PlanNode = {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Plan Rows': number;
  /** Only after an execution. */
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
};

/** The steps of the statements that read more than `many` rows of a table when they run again with the same values. */
export async function growingInPostgres(
  url: string,
  statements: readonly RecordedStatement[],
  many: number,
): Promise<GrowingStep[]> {
  return await withClient(url, async (client) => {
    const growing: GrowingStep[] = [];
    for (const { sql, values } of statements.filter((each) => isData(each.sql))) {
      for (const node of listNodes(await readPlan(client, sql, values))) {
        const read = rowsRead(node);
        if (read > many)
          growing.push({ sql, step: `${node['Node Type']} ${node['Relation Name'] ?? ''}: ${read} rows` });
      }
    }
    return growing;
  });
}

/** The plan with what its execution read; only planned for a row that exists by now. */
async function readPlan(client: pg.Client, sql: string, values: readonly unknown[]): Promise<PlanNode> {
  const explain = async (options: string): Promise<PlanNode> => {
    await client.query('BEGIN');
    try {
      type Row = { 'QUERY PLAN': [{ Plan: PlanNode }] };
      const { rows } = await client.query<Row>(`EXPLAIN (${options}, FORMAT JSON) ${sql}`, [...values]);
      const plan = rows[0]?.['QUERY PLAN'][0].Plan;
      if (plan === undefined) throw new Error(`no plan of ${sql}`);
      return plan;
    } finally {
      await client.query('ROLLBACK');
    }
  };
  try {
    return await explain('ANALYZE, TIMING OFF');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === UNIQUE_VIOLATION) return explain('COSTS');
    throw error;
  }
}

function listNodes(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(listNodes)];
}

function rowsRead(node: PlanNode): number {
  if (node['Relation Name'] === undefined || !node['Node Type'].includes('Scan')) return 0;
  const { 'Actual Rows': rows = node['Plan Rows'], 'Actual Loops': loops = 1 } = node;
  return (rows + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)) * loops;
}

async function listTables(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<{
    table_name: string;
    column_name: string;
    data_type: string;
    is_identity: string;
  }>(
    `SELECT table_name, column_name, data_type, is_identity FROM information_schema.columns
    WHERE table_schema = 'public' ORDER BY table_name, ordinal_position`,
  );
  return [...Map.groupBy(rows, ({ table_name }) => table_name)].map(([name, columns]) => ({
    name,
    columns: columns.map(({ column_name, data_type, is_identity }) => ({
      name: column_name,
      isText: data_type === 'text',
      isGenerated: is_identity === 'YES',
    })),
  }));
}

async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
