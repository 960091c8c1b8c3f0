import { createFakeClock } from '@toolyard/testing';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DATABASE_FILE } from '../layout.ts';
import { openStorage } from '../open-storage.ts';
import type { RunListQuery } from '../repositories/run-list.ts';
import { selectIds } from '../repositories/run-list.ts';
import { temporaryFolder } from '../test-fixtures/sqlite-engine.ts';

it('reads each filter of the run list in the order of an index, however many runs there are', async () => {
  const folder = temporaryFolder();
  (await openStorage({ folder: folder.path, clock: createFakeClock() })).close();
  const database = new DatabaseSync(join(folder.path, DATABASE_FILE));
  const readPlan = (query: Partial<RunListQuery>): string => {
    const texts = (parameter: string): string => `SELECT value FROM json_each(${parameter})`;
    const { sql, values } = selectIds({ selectTexts: texts }, { ownerId: 'anne' }, { limit: 50, ...query });
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...(values as string[]));
    return plan.map(({ detail }) => String(detail)).join('\n');
  };
  const inOrder: [Partial<RunListQuery>, string][] = [
    [{}, 'runs_of_owner (owner_id=?)'],
    [{ before: { createdAt: 5, id: 'r' } }, 'runs_of_owner (owner_id=? AND (created_at,id)<(?,?))'],
    [{ statuses: ['failed'] }, 'runs_by_status (owner_id=? AND status=?)'],
    [{ agentId: 'a' }, 'runs_by_agent (owner_id=? AND agent_id=?)'],
    [{ origin: 'api' }, 'runs_by_origin (owner_id=? AND origin=?)'],
  ];
  for (const [query, index] of inOrder) {
    expect(readPlan(query)).toContain(`SEARCH r USING INDEX ${index}`);
    expect(readPlan(query)).not.toMatch(/SCAN|TEMP B-TREE/);
  }
  expect(readPlan({ statuses: ['queued', 'parked'], asks: true }).match(/runs_by_status/g)).toHaveLength(2);
  expect(readPlan({ conversationIds: ['c'] })).toContain('SEARCH r USING INDEX runs_of_conversation');
  expect(readPlan({ parentRunId: 'r' })).toContain('SEARCH runs USING INDEX runs_of_parent');
  database.close();
  folder.remove();
});
