import { afterAll, beforeAll, describe } from 'vitest';
import type { Cluster } from './postgres.ts';
import { findPostgres, startCluster } from './postgres.ts';

/**
 * Tests that need a PostgreSQL: each file has one of its own, started before the first of them. Where this machine has
 * none they are skipped, and it is said why; with TOOLYARD_POSTGRES_TESTS=required that is a failure.
 */
export function describeOnPostgres(name: string, body: (cluster: () => Cluster) => void): void {
  const binaries = findPostgres();
  if (binaries === null) {
    const reason = `"${name}" needs PostgreSQL: no folder of PATH, nor /usr/lib/postgresql/*/bin, holds postgres and initdb`;
    if (process.env['TOOLYARD_POSTGRES_TESTS'] === 'required') throw new Error(reason);
    process.stderr.write(`skipped: ${reason}\n`);
  }
  describe.skipIf(binaries === null)(name, () => {
    let started: Cluster | undefined;
    beforeAll(async () => {
      started = binaries === null ? undefined : await startCluster(binaries);
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
