import { createHash } from 'node:crypto';
import type { Clock, Failpoint, Message } from '@toolyard/protocol';
import type { Value, StoreWork } from '../engine/work.ts';
import { statements, transaction } from '../engine/work.ts';
import type { S3Settings } from '../s3/settings.ts';
import { StorageError } from '../storage-error.ts';
import { decodeJson } from '../text.ts';
import { computeFingerprint } from './fingerprint.ts';
import type { StorageEndpoint, CopyTarget } from './storage-endpoint.ts';
import { copiedColumns, quoteIdentifier } from './storage-endpoint.ts';
import type { Progress } from './progress.ts';
import { readProgress } from './progress.ts';
import type { Key } from '../engine/read-rows.ts';
import { ROWS_AT_ONCE, rowReader } from '../engine/read-rows.ts';
import type { CopiedTable } from './tables.ts';
import { COPIED_TABLES } from './tables.ts';

/** A data folder, or the URL of a PostgreSQL database with the bucket of its blobs, if they are in one. */
export type StorageLocation = { folder: string } | { url: string; files?: S3Settings };

export type CopyOptions = {
  clock: Clock;
  /**
   * Called at the start of each step, each name once: `bytes` of blobs, each table, then `check`, `search` and
   * `check_bytes`.
   */
  onStep?: (step: string) => void;
  /** Passed at `copy:begun`, `copy:written` and `copy:committed`, once per batch. */
  failpoint?: Failpoint;
};

export type CopyResult = {
  /** Number of copied rows per table. */
  rows: ReadonlyMap<string, number>;
  /** Number of blobs, and those that could not be read at the source and are not in the copy. */
  blobs: number;
  unreadableBlobs: readonly string[];
  /** Whether an earlier, unfinished copy was resumed. */
  resumed: boolean;
};

/**
 * Copies everything from a data folder to an empty database or back: rows in batches, blobs, a new full-text index;
 * then reads and compares both sides. An interrupted copy resumes when called with the same source and target. Leases
 * are not copied, because no process executes the copied runs.
 *
 * @throws StorageError if either side is in use, the target contains other data, or both sides differ at the end. The
 * target cannot be opened until the copy is finished.
 */
export async function copyStorage(
  from: StorageLocation,
  to: StorageLocation,
  options: CopyOptions,
): Promise<CopyResult> {
  const source = await openSource(from, options);
  let target: CopyTarget | undefined;
  try {
    target = await openTarget(to, options);
    return await copy(source, target, options.onStep ?? (() => {}));
  } finally {
    await target?.close();
    await source.close();
  }
}

type Source = StorageEndpoint & { identity: string };

async function openSource(from: StorageLocation, options: CopyOptions): Promise<Source> {
  if ('url' in from) return (await import('./database-endpoint.ts')).openSourceDatabase(from);
  return (await import('./folder-endpoint.ts')).openSourceFolder(from.folder, { clock: options.clock });
}

async function openTarget(to: StorageLocation, options: CopyOptions): Promise<CopyTarget> {
  if ('url' in to) return (await import('./database-endpoint.ts')).openTargetDatabase(to, options.failpoint);
  return (await import('./folder-endpoint.ts')).openTargetFolder(to.folder, options);
}

async function copy(source: Source, target: CopyTarget, onStep: (step: string) => void): Promise<CopyResult> {
  const resumed = await target.hasUnfinishedCopy();
  const progress = await begin(source, target, resumed);
  onStep(BYTES);
  const blobs = await copyBytes(source, target, progress);
  for (const table of COPIED_TABLES) {
    onStep(table.name);
    await copyTable(source, target, { table, progress });
  }
  onStep('check');
  // Before the index: rows that are missing cannot be found.
  const rows = await compare(source, target, progress.missing());
  onStep(SEARCH);
  await makeSearchable(source, target, progress);
  onStep('check_bytes');
  await checkBytes(target);
  const numbered = COPIED_TABLES.filter((table) => table.numbered);
  const lastNumbers = new Map<string, number>();
  for (const { name } of numbered) lastNumbers.set(name, await source.lastNumber(name));
  await target.finish({ lastNumbers, keyDerivation: await source.keyDerivation() });
  return { rows, blobs, unreadableBlobs: [...progress.missing()], resumed };
}

/** @throws StorageError if the target contains anything but the unfinished copy of this source. */
async function begin(source: Source, target: CopyTarget, resumed: boolean): Promise<Progress> {
  if (!resumed) await requireEmpty(target);
  await target.begin();
  const progress = await readProgress(target.engine);
  const startedFrom = progress.source();
  if (startedFrom === source.identity) return progress;
  if (startedFrom !== null) {
    throw new StorageError('not_writable', {
      message: `${target.where} contains an unfinished copy of another source: ${startedFrom}.`,
      hint: 'Finish that copy, or specify another target.',
    });
  }
  await target.engine.perform(transaction('copy', 'full', () => progress.noteSource(source.identity)));
  return progress;
}

async function requireEmpty(target: CopyTarget): Promise<void> {
  for (const { name } of COPIED_TABLES) {
    const any = target.engine.prepare(`SELECT 1 FROM ${name} LIMIT 1`);
    if (!(await target.engine.perform(statements(() => any.get())))) continue;
    throw new StorageError('not_writable', {
      message: `${target.where} is not empty: it contains ${name.replaceAll('_', ' ')}.`,
      hint: 'Specify a new target; a copy never overwrites anything.',
    });
  }
}

const BYTES = 'bytes';
const SEARCH = 'search';

/** One by one, because blobs may be large. Returns their number. */
async function copyBytes(source: StorageEndpoint, target: CopyTarget, progress: Progress): Promise<number> {
  let count = 0;
  for await (const sha256 of namesOfBlobs(source)) {
    count++;
    const done = progress.of(BYTES);
    if (done === 'done' || (done !== null && sha256 <= String(done[0]))) continue;
    const bytes = await source.readBytes(sha256);
    const isIntact = bytes !== null && createHash('sha256').update(bytes).digest('hex') === sha256;
    if (isIntact) await target.keepBytes(sha256, bytes);
    const job = transaction('copy', 'normal', function* () {
      if (!isIntact) yield* progress.addMissing(sha256);
      yield* progress.note(BYTES, [sha256]);
    });
    await target.engine.perform(job);
  }
  await target.engine.perform(transaction('copy', 'normal', () => progress.note(BYTES, 'done')));
  return count - progress.missing().size;
}

/** In ascending order. */
async function* namesOfBlobs({ engine }: StorageEndpoint): AsyncGenerator<string> {
  const next = engine.prepare<{ sha256: string }>(
    `SELECT DISTINCT sha256 FROM blobs WHERE sha256 > ? ORDER BY sha256 LIMIT ${ROWS_AT_ONCE}`,
  );
  let after: string | undefined = '';
  while (after !== undefined) {
    const from: string = after;
    const page: { sha256: string }[] = await engine.perform(statements(() => next.all(from)));
    for (const { sha256 } of page) yield sha256;
    after = page.at(-1)?.sha256;
  }
}

/** False for rows of blobs without bytes: no table may reference missing bytes. */
function counted(columns: readonly string[], table: CopiedTable, missing: ReadonlySet<string>) {
  const at = table.name === 'blobs' ? columns.indexOf('sha256') : -1;
  return (row: readonly Value[]): boolean => at < 0 || !missing.has(String(row[at]));
}

async function copyTable(
  source: StorageEndpoint,
  target: CopyTarget,
  { table, progress }: { table: CopiedTable; progress: Progress },
): Promise<void> {
  let at = progress.of(table.name);
  if (at === 'done') return;
  const columns = await copiedColumns(source, table);
  const read = rowReader(source.engine, table, columns.map(quoteIdentifier));
  const insert = rowWriter(target, table, columns);
  const counts = counted(columns, table, progress.missing());
  for (;;) {
    const { rows, last }: { rows: Value[][]; last: Key | null } = await read(at);
    const job = transaction('copy', 'normal', function* () {
      yield* insert(rows.filter(counts));
      yield* progress.note(table.name, last ?? 'done');
    });
    try {
      await target.engine.perform(job);
    } catch (error) {
      if (!target.engine.isConstraint(StorageError.isInstance(error) ? error.cause : error)) throw error;
      throw createDifferenceError(
        source,
        target,
        `rows referenced by ${table.name.replaceAll('_', ' ')} are missing`,
        error,
      );
    }
    if (last === null) return;
    at = last;
  }
}

function rowWriter(
  { engine, where }: CopyTarget,
  { name, numbered }: CopiedTable,
  columns: readonly string[],
): (rows: readonly Value[][]) => StoreWork<void> {
  const overriding = numbered && where.startsWith('the database') ? 'OVERRIDING SYSTEM VALUE' : '';
  const one = `(${columns.map(() => '?').join(', ')})`;
  const into = `INSERT INTO ${name} (${columns.map(quoteIdentifier).join(', ')}) ${overriding} VALUES `;
  const prepared = new Map<number, ReturnType<typeof engine.prepare>>();
  return function* (rows) {
    if (rows.length === 0) return;
    const statement = prepared.get(rows.length) ?? engine.prepare(into + rows.map(() => one).join(', '));
    prepared.set(rows.length, statement);
    yield* statement.run(...rows.flat());
  };
}

type SearchRow = {
  id: number;
  conversation_id: string;
  message_id: string;
  owner_id: string;
  title: string;
  message: string | null;
};

/** Indexes everything that the source has indexed, in the same order, in the format of this engine. */
async function makeSearchable(source: StorageEndpoint, target: CopyTarget, progress: Progress): Promise<void> {
  const next = source.engine.prepare<SearchRow>(`
    SELECT s.id, s.conversation_id, s.message_id, s.owner_id, c.title, m.message
    FROM search_rows AS s JOIN conversations AS c ON c.id = s.conversation_id
    LEFT JOIN messages AS m ON m.conversation_id = s.conversation_id AND m.id = s.message_id
    WHERE s.id > ? ORDER BY s.id LIMIT ${ROWS_AT_ONCE}`);
  const writer = target.engine.searchWriter();
  let at = progress.of(SEARCH);
  while (at !== 'done') {
    const after = Number(at?.[0] ?? 0);
    const rows = await source.engine.perform(statements(() => next.all(after)));
    const last = rows.at(-1);
    const now: 'done' | Key = last ? [last.id] : 'done';
    const job = transaction('copy', 'normal', function* () {
      for (const row of rows) {
        const of = { conversationId: row.conversation_id, ownerId: row.owner_id };
        if (row.message_id === '') yield* writer.title(row.title, of);
        else if (row.message !== null) yield* writer.message(decodeJson(row.message) as unknown as Message, of);
      }
      yield* progress.note(SEARCH, now);
    });
    await target.engine.perform(job);
    at = now;
  }
}

/** Reads and compares both sides. Returns the number of rows per table. */
async function compare(
  source: StorageEndpoint,
  target: CopyTarget,
  missing: ReadonlySet<string>,
): Promise<ReadonlyMap<string, number>> {
  const rows = new Map<string, number>();
  for (const table of COPIED_TABLES) {
    const columns = await copiedColumns(source, table);
    const of = { columns, counts: counted(columns, table, missing) };
    const there = await computeFingerprint(source, table, of);
    const here = await computeFingerprint(target, table, of);
    if (there.sha256 !== here.sha256) {
      throw createDifferenceError(
        source,
        target,
        `${table.name.replaceAll('_', ' ')}: ${here.rows} and ${there.rows} rows, or the content of a row differs`,
      );
    }
    rows.set(table.name, here.rows);
  }
  return rows;
}

async function checkBytes(target: CopyTarget): Promise<void> {
  for await (const sha256 of namesOfBlobs(target)) {
    const bytes = await target.readBytes(sha256);
    if (bytes !== null && createHash('sha256').update(bytes).digest('hex') === sha256) continue;
    throw new StorageError('corrupt', {
      message: `Blob ${sha256} is damaged in ${target.where}.`,
      hint: 'Check the disk of the target; then delete the copy and start again.',
    });
  }
}

function createDifferenceError(
  source: StorageEndpoint,
  target: CopyTarget,
  difference: string,
  cause?: unknown,
): StorageError {
  return new StorageError(
    'corrupt',
    {
      message: `${target.where} differs from ${source.where}: ${difference}.`,
      hint: 'Most likely the source was changed between two attempts. Delete the copy and start again.',
    },
    { cause },
  );
}
