import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFakeClock } from '@toolyard/testing';
import { DATABASE_FILE } from '../layout.ts';
import { openStorage } from '../open-storage.ts';
import { sqliteSnapshot, snapshotSteps } from '../test-fixtures/snapshots/snapshots.ts';
import { expectSnapshotData } from '../test-fixtures/snapshots/expect-snapshot-data.ts';
import { temporaryFolder } from '../test-fixtures/sqlite-engine.ts';
import { SQLITE_MIGRATIONS } from './migrate.ts';

let folder: ReturnType<typeof temporaryFolder>;
const clock = createFakeClock();
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

function put(step: string, name: string): string {
  const data = join(folder.path, name);
  mkdirSync(data);
  writeFileSync(join(data, DATABASE_FILE), sqliteSnapshot(step));
  return data;
}

test('each schema snapshot ends with a known migration', () => {
  expect(snapshotSteps('sqlite').length).toBeGreaterThan(0);
  for (const step of snapshotSteps('sqlite')) expect(Object.keys(SQLITE_MIGRATIONS)).toContain(step);
});

test.each(snapshotSteps('sqlite'))('schema snapshot %s opens with all data, and runs continue', async (step) => {
  const storage = await openStorage({ folder: put(step, 'data'), clock });
  try {
    await expectSnapshotData(storage);
  } finally {
    storage.close();
  }
});

test.each(snapshotSteps('sqlite'))('schema snapshot %s fits the current tables', async (step) => {
  const old = new DatabaseSync(join(put(step, 'old'), DATABASE_FILE), { readOnly: true });
  const today = join(folder.path, 'today');
  (await openStorage({ folder: today, clock })).close();
  const database = new DatabaseSync(join(today, DATABASE_FILE));
  try {
    // Like the older version, which names its own columns.
    database.exec('PRAGMA foreign_keys = OFF');
    const tables = old.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all();
    const tableNames = tables
      .map(({ name }) => String(name))
      .filter((name) => !/^(?:sqlite|kysely|search)_|^usage_(?:days|conversations)$/.test(name));
    for (const table of tableNames) {
      for (const row of old.prepare(`SELECT * FROM ${table}`).all()) {
        const columns = Object.keys(row);
        const into = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
        database.prepare(into).run(...Object.values(row));
      }
    }
    expect(database.prepare('PRAGMA foreign_key_check').all()).toEqual([]);
  } finally {
    database.close();
    old.close();
  }
});
