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

/** Statements kept prepared; lists in a query make many of them, so there is an end to it. */
const CACHED_STATEMENTS = 200;

/**
 * Kysely over `node:sqlite`.
 *
 * @param options.transactions `refused` for the repositories: Kysely's transactions stay open over an `await`, and a
 * commit of the hot path that came in between would fall into them. The migrations run before there is a hot path.
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
      const config = { database: statementsOf(connection) };
      return options.transactions === 'allowed'
        ? new MigrationDriver(config, connection)
        : new SingleStatementDriver(config);
    }
  })({ database: statementsOf(connection) });
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

  /** A full disk has rolled back already: to do it again would fail, and hide why. */
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

/** The part of a database Kysely asks for. It does not close the connection, which is not its own. */
function statementsOf(connection: SqliteConnection): SqliteDatabase {
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
    // Without it Kysely runs a SELECT for its changes and gives no rows.
    reader: statement.columns().length > 0,
    all: (parameters) => connection.guard(() => statement.all(...bind(parameters))),
    run: (parameters) => connection.guard(() => statement.run(...bind(parameters))),
    // A cached statement can be read by one at a time; whoever streams gets its own.
    iterate: (parameters) => connection.guard(() => connection.prepare(sql).iterate(...bind(parameters))),
  };
}
