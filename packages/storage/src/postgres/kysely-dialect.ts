import type { DatabaseConnection, Driver, PostgresPool, PostgresPoolClient } from 'kysely';
import { PostgresDialect, PostgresDriver } from 'kysely';
import type { PostgresConnection } from './connection.ts';

/** Kysely over the connections of the process, for single statements. Does not close them. */
export function createPostgresDialect(connection: PostgresConnection): PostgresDialect {
  const pool = toPool(connection);
  return new (class extends PostgresDialect {
    override createDriver(): Driver {
      return new SingleStatementDriver({ pool });
    }
  })({ pool });
}

class SingleStatementDriver extends PostgresDriver {
  override beginTransaction(_connection: DatabaseConnection): Promise<void> {
    return Promise.reject(new Error('each statement may use another connection: use a job for a transaction'));
  }
}

/** The part of the pool interface that Kysely uses: each statement borrows a connection. */
function toPool(connection: PostgresConnection): PostgresPool {
  const client = {
    query: (sql: string, parameters: readonly unknown[]) => connection.query(sql, [...parameters]),
    release() {},
  };
  return { connect: () => Promise.resolve(client as unknown as PostgresPoolClient), end: () => Promise.resolve() };
}
