import type { SQLInputValue, StatementSync } from 'node:sqlite';
import type {
  DatabaseConnection,
  DialectAdapter,
  Driver,
  SqliteDatabase,
  SqliteDialectConfig,
  SqliteStatement,
} from 'kysely';
import { SqliteAdapter, SqliteDialect, SqliteDriver } from 'kysely';
import type { SqliteConnection } from './connection.ts';

/** Maximum number of cached statements, since each list length in a query makes another one. */
const CACHED_STATEMENTS = 200;

/**
 * Kysely over `node:sqlite`.
 *
 * @param options.transactions `refused` for the repositories: Kysely's transactions stay open during an `await`, and a
 * commit of the hot path in between would become part of them. Migrations run before the hot path starts.
 */
export function createSqliteDialect(
  connection: SqliteConnection,
  options: { transactions: 'allowed' | 'refused' },
): SqliteDialect {
  return new (class extends SqliteDialect {
    override createAdapter(): DialectAdapter {
      return new TransactionalAdapter();
    }

    override createDriver(): Driver {
      const config = { database: createStatements(connection) };
      return options.transactions === 'allowed'
        ? new MigrationDriver(config, connection)
        : new SingleStatementDriver(config);
    }
  })({ database: createStatements(connection) });
}

class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class MigrationDriver extends SqliteDriver {
  readonly #connection: SqliteConnection;

  constructor(config: SqliteDialectConfig, connection: SqliteConnection) {
    super(config);
    this.#connection = connection;
  }

  /** A full disk has already rolled back: a second rollback would fail and hide the reason. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#connection.database.isTransaction) await super.rollbackTransaction(connection);
  }
}

class SingleStatementDriver extends SqliteDriver {
  override beginTransaction(_connection: DatabaseConnection): Promise<void> {
    return Promise.reject(
      new Error('a transaction may not span an await: write one statement, or use SqliteConnection'),
    );
  }
}

/** The part of a database interface that Kysely uses. Does not close the connection, which it does not own. */
function createStatements(connection: SqliteConnection): SqliteDatabase {
  const cache = new Map<string, SqliteStatement>();
  return {
    prepare(sql) {
      const known = cache.get(sql);
      if (known) return known;
      const statement = adapt(connection, connection.prepare(sql), sql);
      const oldest = cache.keys().next();
      if (cache.size >= CACHED_STATEMENTS && !oldest.done) cache.delete(oldest.value);
      cache.set(sql, statement);
      return statement;
    },
    close() {},
  };
}

function adapt(connection: SqliteConnection, statement: StatementSync, sql: string): SqliteStatement {
  const bind = (parameters: readonly unknown[]): SQLInputValue[] => parameters as SQLInputValue[];
  return {
    // Without it Kysely runs a SELECT for its changes and returns no rows.
    reader: statement.columns().length > 0,
    all: (parameters) => connection.guard(() => statement.all(...bind(parameters))),
    run: (parameters) => connection.guard(() => statement.run(...bind(parameters))),
    // A cached statement cannot be iterated concurrently, so streams prepare their own.
    iterate: (parameters) => connection.guard(() => connection.prepare(sql).iterate(...bind(parameters))),
  };
}
