import type { PostgresConnection } from './connection.ts';

/** Whether the current schema has a table with this name. */
export async function hasTable(connection: PostgresConnection, name: string): Promise<boolean> {
  const { rows } = await connection.query(
    'SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = $1',
    [name],
  );
  return rows.length > 0;
}
