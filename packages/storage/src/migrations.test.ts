import { describe, expect, test } from 'vitest';
import { POSTGRES_MIGRATIONS as POSTGRES } from './postgres/migrate.ts';
import { SQLITE_MIGRATIONS as SQLITE } from './sqlite/migrate.ts';
import { breakingChanges } from './test-fixtures/snapshots/breaking-changes.ts';

/** The first migration creates all tables. */
const later = <T>(migrations: Readonly<Record<string, T>>): [string, T][] => Object.entries(migrations).slice(1);

test('a migration only adds, so that the previous version can write concurrently, unless it is declared as contracting', () => {
  for (const [, statements] of later(SQLITE)) expect(breakingChanges(statements)).toEqual([]);
  for (const [, { kind, statements }] of later(POSTGRES)) {
    if (kind === 'expand') expect(breakingChanges(statements)).toEqual([]);
  }
});

describe('the check reports a migration that removes or restricts', () => {
  test.each([
    'DROP TABLE runs',
    'ALTER TABLE runs DROP COLUMN place',
    'ALTER TABLE runs RENAME COLUMN place TO "where"',
    'ALTER TABLE runs RENAME TO journeys',
    'ALTER TABLE runs ADD COLUMN mood TEXT NOT NULL',
    'ALTER TABLE runs ADD COLUMN mood TEXT UNIQUE',
    `ALTER TABLE runs ADD COLUMN mood TEXT CHECK (mood <> '')`,
    'ALTER TABLE runs ADD CONSTRAINT one UNIQUE (agent_id)',
    'ALTER TABLE runs ALTER COLUMN agent_id SET NOT NULL',
    'ALTER TABLE runs ALTER COLUMN agent_id TYPE BIGINT',
    'CREATE UNIQUE INDEX one ON runs (agent_id)',
    'CREATE TRIGGER stop BEFORE INSERT ON runs BEGIN SELECT 1; END',
    'CREATE TRIGGER more AFTER INSERT ON runs BEGIN UPDATE messages SET role = 1; END',
    'CREATE TRIGGER more AFTER INSERT ON runs FOR EACH ROW EXECUTE FUNCTION more()',
    'DELETE FROM runs',
  ])('%s', (statement) => {
    expect(breakingChanges([statement])).toHaveLength(1);
  });

  test.each([
    [`ALTER TABLE runs ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm'`],
    ['ALTER TABLE runs ADD COLUMN mood TEXT'],
    ['CREATE INDEX by_mood ON runs (mood)'],
    [
      'CREATE TABLE moods (name TEXT UNIQUE)',
      'CREATE UNIQUE INDEX one ON moods (name)',
      'ALTER TABLE moods DROP COLUMN x',
    ],
    [
      'CREATE TABLE moods (name TEXT)',
      'CREATE OR REPLACE FUNCTION note() RETURNS TRIGGER AS $$ BEGIN INSERT INTO moods VALUES (NEW.mood); END $$',
      'CREATE TRIGGER noted AFTER INSERT OR UPDATE ON runs FOR EACH ROW EXECUTE FUNCTION note()',
      'CREATE TRIGGER noted AFTER UPDATE ON runs BEGIN INSERT INTO moods VALUES (new.mood); END',
    ],
  ])('and accepts one that only adds: %s', (...statements) => {
    expect(breakingChanges(statements)).toEqual([]);
  });
});
