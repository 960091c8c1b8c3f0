import type { UsageBy } from '@toolyard/protocol';
import type { StorageEngine } from '../engine/engine.ts';
import type { Statement } from '../engine/work.ts';
import { statements } from '../engine/work.ts';
import type { ReadUsage, SumRow } from '../usage/usage-report.ts';
import { toUsageRow, toUsageSum, usageSql } from '../usage/usage-report.ts';

/** Sums usage in the database. */
export function createPostgresUsageReport(engine: StorageEngine): ReadUsage {
  const prepared = new Map<
    UsageBy,
    { each: Statement<SumRow & { key: string; label: string }>; all: Statement<SumRow> }
  >();
  return async ({ ownerId }, { by, from, to }) => {
    const sql = usageSql(by);
    const { each, all } = prepared.get(by) ?? { each: engine.prepare(sql.rows), all: engine.prepare(sql.total) };
    prepared.set(by, { each, all });
    return engine.perform(
      statements(function* () {
        const rows = yield* each.all(ownerId, from, to);
        const [total] = yield* all.all(ownerId, from, to);
        if (!total) throw new Error('an aggregate returns one row');
        return { rows: rows.map(toUsageRow), total: toUsageSum(total) };
      }),
    );
  };
}
