import { DatabaseSync } from 'node:sqlite';

/** Tables whose size depends on what a user set up, not on how much they chatted. */
const BOUNDED = new Set([
  'queued_messages',
  'secrets',
  'settings',
  'agents',
  'memories',
  'sign_ins',
  'usage_days',
  'usage_conversations',
]);

/** Columns of identifiers that name no row of the history. */
const SHARED = new Set(['owner_id', 'agent_id', 'provider_id', 'server_id', 'call_id', 'model_id', 'group_id']);

export type Table = { name: string; columns: readonly { name: string; isText: boolean; isGenerated: boolean }[] };

/**
 * A statement that copies the rows of a table under new ids, once per number, as ended conversations of `owner`; null
 * for a table that does not grow with the history.
 *
 * @param numbers a table expression with the column `n`
 */
export function copyStatement({ name, columns }: Table, numbers: string, owner: string): string | null {
  if (BOUNDED.has(name) || !columns.some((column) => column.name === 'owner_id')) return null;
  const copied = columns.filter(({ isGenerated }) => !isGenerated);
  const values = copied.map(({ name: column, isText }) => createValue(name, column, isText, owner));
  const few = name === 'run_events' ? 'AND t.seq <= 2' : '';
  return `INSERT INTO ${name} (${copied.map((column) => `"${column.name}"`).join(', ')})
    SELECT ${values.join(', ')} FROM ${name} AS t CROSS JOIN ${numbers} AS numbers WHERE t.owner_id = 'anne' ${few}`;
}

/** Removes the copied rows themselves, whose runs are open. */
export function removeStatement({ name }: Table): string {
  return `DELETE FROM ${name} WHERE owner_id IN ('anne', 'bert')`;
}

function createValue(table: string, column: string, isText: boolean, owner: string): string {
  if (column === 'owner_id') return `'${owner}'`;
  if (column === 'status') return table === 'interrupts' ? "'answered'" : "'done'";
  if (column === 'lease_owner' || column === 'lease_until') return 'NULL';
  if (column === 'taken_at') return '1';
  // Rows of all conversations together become rows of single ones.
  if (column === 'conversation_id') return `coalesce(t."${column}", 'c') || '-' || numbers.n`;
  const isId = isText && (column === 'id' || column.endsWith('_id') || column === 'sha256') && !SHARED.has(column);
  return isId ? `t."${column}" || '-' || numbers.n` : `t."${column}"`;
}

/**
 * Copies the rows of `fillStorage` in the database of a closed data folder `copies` times, as ended conversations of
 * `owner`. Much faster than having the conversations.
 */
export function growSqlite(file: string, owner: string, copies: number, from = 1): void {
  using database = new DatabaseSync(file, { enableForeignKeyConstraints: false });
  const last = from + copies - 1;
  const numbers = `(WITH RECURSIVE c (n) AS (SELECT ${from} UNION ALL SELECT n + 1 FROM c WHERE n < ${last}) SELECT n FROM c)`;
  database.exec('BEGIN');
  for (const table of sqliteTables(database)) {
    const copy = copyStatement(table, numbers, owner);
    if (copy !== null) database.exec(`${copy}; ${removeStatement(table)}`);
  }
  database.exec('COMMIT');
}

export function sqliteTables(database: DatabaseSync): Table[] {
  const names = database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
    .all();
  return names.map(({ name }) => {
    const columns = database.prepare(`SELECT name, type, pk FROM pragma_table_info(?)`).all(String(name));
    return {
      name: String(name),
      columns: columns.map(({ name: column, type, pk }) => ({
        name: String(column),
        isText: type === 'TEXT',
        isGenerated: pk === 1 && type === 'INTEGER',
      })),
    };
  });
}
