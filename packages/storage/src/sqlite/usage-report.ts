import type { StatementSync } from 'node:sqlite';
import type { Owner, UsageBy } from '@toolyard/protocol';
import type { SumRow, UsageFound, UsageQuery } from '../usage/usage-report.ts';
import { toUsageRow, toUsageSum, usageSql } from '../usage/usage-report.ts';
import type { ReadSource } from './read-connection.ts';

/** Sums usage synchronously on a given connection. */
export function createSqliteUsageReport(connection: ReadSource): (principal: Owner, query: UsageQuery) => UsageFound {
  const prepared = new Map<UsageBy, { rows: StatementSync; total: StatementSync }>();
  const statementsFor = (by: UsageBy): { rows: StatementSync; total: StatementSync } => {
    const known = prepared.get(by);
    if (known) return known;
    const { rows, total } = usageSql(by);
    const statements = { rows: connection.prepare(rows), total: connection.prepare(total) };
    prepared.set(by, statements);
    return statements;
  };
  return ({ ownerId }, { by, from, to }) =>
    connection.guard(() => {
      const { rows, total } = statementsFor(by);
      const found = rows.all(ownerId, from, to) as (SumRow & { key: string; label: string })[];
      return { rows: found.map(toUsageRow), total: toUsageSum(total.get(ownerId, from, to) as SumRow) };
    });
}
