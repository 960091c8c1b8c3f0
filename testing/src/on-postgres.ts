import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import type { Need } from './needs.ts';
import { needs } from './needs.ts';
import { findPostgres, needsPrograms } from './postgres-binaries.ts';
import type { Cluster, Databases } from './postgres.ts';
import { startCluster } from './postgres.ts';

// Only files that need PostgreSQL import this module, so that others neither search nor download it.
const binaries = await findPostgres();

const POSTGRES: Need = { name: 'postgres', missing: binaries.missing };

/** `pg_dump` and `psql` of the PostgreSQL that the tests use. */
export const PG_DUMP = needsPrograms(binaries, 'pg_dump', 'psql');

/** The path of a program of the PostgreSQL that the tests use. */
export function postgresProgram(name: 'pg_dump' | 'psql'): string {
  return join(binaries.folder ?? '', name);
}

let shared: Promise<Cluster> | undefined;

/**
 * Tests that need databases but not their own PostgreSQL: all files of a worker process share one, which exits with the
 * process. Skipped if neither the system nor npm provides PostgreSQL.
 */
export function describeOnDatabases(name: string, body: (cluster: () => Databases) => void): void {
  describe(name, needs(POSTGRES), () => {
    let started: Databases | undefined;
    beforeAll(async () => {
      const { folder } = binaries;
      if (folder !== null) started = await (shared ??= startCluster(folder, { endsWithProcess: true }));
    });
    body(() => {
      if (!started) throw new Error('outside a test');
      return started;
    });
  });
}

/**
 * Tests that stop, restart or overload PostgreSQL: each file starts its own cluster. Skipped if neither the system nor
 * npm provides PostgreSQL.
 */
export function describeOnPostgres(name: string, body: (cluster: () => Cluster) => void): void {
  describe(name, needs(POSTGRES), () => {
    let started: Cluster | undefined;
    beforeAll(async () => {
      if (binaries.folder !== null) started = await startCluster(binaries.folder);
    });
    afterAll(async () => {
      await started?.close();
    });
    body(() => {
      if (!started) throw new Error('outside a test');
      return started;
    });
  });
}
