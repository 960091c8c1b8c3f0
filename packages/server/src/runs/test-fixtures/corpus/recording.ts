import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import type { Clock } from '@toolyard/protocol';
import { DATABASE_FILE, openStorage } from '@toolyard/storage';

/** Placeholders for ids in recordings; replaced when loaded, so that many recordings fit into one database. */
export const NAMES = { conversation: 'CONVERSATION-ID', run: 'RUN-ID', queued: 'QUEUED-ID' } as const;

/** All rows at one moment, by table. */
export type Rows = Readonly<Record<string, readonly Readonly<Record<string, string | number | null>>[]>>;

/** The rows at one moment of a scenario. */
export type RecordedMoment = {
  /** The moment: a failpoint, a user action, or `over`. */
  at: string;
  rows: Rows;
};

/** A scenario, its end, and its recorded moments. */
export type Recording = {
  story: string;
  statuses: readonly string[];
  told: readonly string[];
  moments: readonly RecordedMoment[];
};

type Row = Rows[string][number];

/** File format: a line with the end, a line per distinct row, and a line per moment with its rows. */
export function toLines({ moments, ...ending }: Recording): string {
  const numbers = new Map<string, number>();
  const getNumber = (table: string, row: Row): number => {
    const line = JSON.stringify([table, row]);
    const number = numbers.get(line) ?? numbers.size;
    numbers.set(line, number);
    return number;
  };
  const of = moments.map(({ at, rows }) => ({
    at,
    rows: Object.entries(rows).flatMap(([table, all]) => all.map((row) => getNumber(table, row))),
  }));
  return [JSON.stringify(ending), ...numbers.keys(), ...of.map((moment) => JSON.stringify(moment)), ''].join('\n');
}

export function fromLines(text: string): Recording {
  const [ending, ...lines] = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  const rows = lines.filter((line): line is [string, Row] => Array.isArray(line));
  const moments = lines.filter((line): line is { at: string; rows: number[] } => !Array.isArray(line));
  return {
    ...(ending as Omit<Recording, 'moments'>),
    moments: moments.map(({ at, rows: which }) => ({
      at,
      rows: byTable(which.flatMap((number) => rows.slice(number, number + 1))),
    })),
  };
}

function byTable(rows: readonly [string, Row][]): Rows {
  const tables: Record<string, Row[]> = {};
  for (const [table, row] of rows) (tables[table] ??= []).push(row);
  return tables;
}

/** The same rows with ids that end in `suffix`. */
export function renamed(rows: Rows, suffix: string): Rows {
  const names = new RegExp(Object.values(NAMES).join('|'), 'g');
  return JSON.parse(JSON.stringify(rows).replace(names, (name) => `${name}${suffix}`)) as Rows;
}

/** Tables that are derived from others, or created with a database. */
const LEFT_OUT = /^(?:sqlite_|kysely_|search_|usage_days$)/;

/** Reads all current rows of an open data folder. */
export function readRows(folder: string): Rows {
  const database = new DatabaseSync(join(folder, DATABASE_FILE), { readOnly: true });
  try {
    const tables = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`).all();
    const named = tables.map(({ name }) => String(name)).filter((name) => !LEFT_OUT.test(name));
    const read = named.map((name) => [name, database.prepare(`SELECT * FROM "${name}"`).all()] as const);
    return Object.fromEntries(read.filter(([, rows]) => rows.length > 0)) as Rows;
  } finally {
    database.close();
  }
}

/** Creates a data folder of this version with these rows. Throws for an unknown column. */
export async function writeRows(folder: string, all: readonly Rows[], clock: Clock): Promise<void> {
  (await openStorage({ folder, clock })).close();
  const database = new DatabaseSync(join(folder, DATABASE_FILE));
  try {
    database.exec('PRAGMA foreign_keys = OFF; BEGIN');
    for (const rows of all) {
      for (const [table, of] of Object.entries(rows)) for (const row of of) insert(database, table, row);
    }
    database.exec('COMMIT');
  } finally {
    database.close();
  }
}

/** Generated ids are assigned again, because other recordings use them too. */
function insert(database: DatabaseSync, table: string, row: Row): void {
  const numbers = database.prepare(`SELECT name FROM pragma_table_info(?) WHERE pk = 1 AND type = 'INTEGER'`);
  const number = numbers.get(table)?.['name'];
  const columns = Object.keys(row).filter((column) => column !== number);
  const names = columns.map((column) => `"${column}"`).join(', ');
  const places = columns.map(() => '?').join(', ');
  const values = columns.map((column) => row[column] ?? null);
  database.prepare(`INSERT INTO "${table}" (${names}) VALUES (${places})`).run(...values);
}
