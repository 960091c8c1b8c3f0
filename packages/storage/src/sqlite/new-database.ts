import { closeSync, constants, copyFileSync, existsSync, openSync, renameSync } from 'node:fs';
import { pid } from 'node:process';
import type { SqliteConnection } from './connection.ts';

let template: string | null = null;

/**
 * For tests of other packages, which create thousands of databases: a new one begins as a copy of this file, which the
 * first one creates, instead of executing all migrations. By default (null) all are executed.
 */
export function useDatabaseTemplate(file: string | null): void {
  template = file;
}

/** Creates a database file that only this user can read, unless it exists. Returns whether it did. */
export function createDatabaseFile(file: string): boolean {
  if (existsSync(file)) return false;
  if (template !== null && existsSync(template)) copyFileSync(template, file, constants.COPYFILE_EXCL);
  else closeSync(openSync(file, 'a', 0o600));
  return true;
}

/** Stores a new, migrated database as the template, if there is to be one. */
export function keepAsTemplate(connection: SqliteConnection): void {
  if (template === null || existsSync(template)) return;
  const unfinished = `${template}-${pid}`;
  connection.database.prepare('VACUUM INTO ?').run(unfinished);
  renameSync(unfinished, template);
}
