import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Owner } from '@toolyard/protocol';
import type { StorageEngine } from './engine/engine.ts';
import type { Key } from './engine/read-rows.ts';
import { rowReader } from './engine/read-rows.ts';

export type SweepOptions = {
  /** Only blobs that were not uploaded or attached since then. */
  unusedSince: number;
  /** Stops the sweep; the rest is deleted by a later one. */
  signal?: AbortSignal;
};

/** Columns that may reference blobs. Events and states are deleted with their run and can be read until then. */
const REFERENCE_COLUMNS: readonly { name: string; key: readonly string[]; texts: readonly string[] }[] = [
  { name: 'messages', key: ['conversation_id', 'id'], texts: ['message'] },
  { name: 'queued_messages', key: ['conversation_id', 'id'], texts: ['parts'] },
  { name: 'drafts', key: ['owner_id', "coalesce(conversation_id, '')"], texts: ['draft'] },
  { name: 'artifacts', key: ['conversation_id', 'id', 'version'], texts: ['content'] },
  { name: 'interrupts', key: ['id'], texts: ['interrupt', 'answer'] },
  { name: 'run_inbox', key: ['position'], texts: ['body'] },
  { name: 'run_states', key: ['run_id'], texts: ['state'] },
  { name: 'tool_ledger', key: ['position'], texts: ['detail'] },
  { name: 'run_events', key: ['run_id', 'seq'], texts: ['body'] },
];

const HASH = /[0-9a-f]{64}/g;

type Remove = (principal: Owner, sha256: string, unusedSince: number) => boolean | Promise<boolean>;

/**
 * Deletes blobs that no text references. Reads everything in small batches, so that other transactions are not blocked.
 * A blob attached meanwhile is kept: it is touched before it is referenced.
 *
 * @returns Number of deleted blobs.
 */
export async function sweepBlobs(
  engine: StorageEngine,
  remove: Remove,
  { unusedSince, signal }: SweepOptions,
): Promise<number> {
  const unreferenced = await oldBlobs(engine, unusedSince);
  for (const table of REFERENCE_COLUMNS) {
    for await (const text of referencingTexts(engine, table)) {
      if (unreferenced.size === 0 || signal?.aborted) return 0;
      for (const [sha256] of text.matchAll(HASH)) unreferenced.delete(sha256);
    }
  }
  let removed = 0;
  for (const [sha256, owners] of unreferenced) {
    for (const ownerId of owners) {
      if (signal?.aborted) return removed;
      if (await remove({ ownerId }, sha256, unusedSince)) removed++;
    }
    await nextTurn();
  }
  return removed;
}

/** Owners by hash. */
async function oldBlobs(engine: StorageEngine, unusedSince: number): Promise<Map<string, string[]>> {
  const owners = new Map<string, string[]>();
  for await (const [owner, sha256, createdAt] of readRows(engine, { name: 'blobs', key: ['owner_id', 'sha256'] }, [
    'owner_id',
    'sha256',
    'created_at',
  ])) {
    if (Number(createdAt) >= unusedSince) continue;
    owners.set(String(sha256), [...(owners.get(String(sha256)) ?? []), String(owner)]);
  }
  return owners;
}

/** Null for most rows: the database filters out texts that cannot reference a blob. */
async function* referencingTexts(
  engine: StorageEngine,
  { name, key, texts }: { name: string; key: readonly string[]; texts: readonly string[] },
): AsyncGenerator<string> {
  const mayName = texts.map((column) => `CASE WHEN ${column} LIKE '%"blob%' THEN ${column} END`);
  for await (const row of readRows(engine, { name, key }, mayName)) {
    for (const text of row) if (typeof text === 'string') yield text;
  }
}

async function* readRows(
  engine: StorageEngine,
  table: { name: string; key: readonly string[] },
  values: readonly string[],
): AsyncGenerator<readonly unknown[]> {
  const read = rowReader(engine, table, values);
  let at: Key | null = null;
  do {
    const page = await read(at);
    yield* page.rows;
    at = page.last;
    await nextTurn();
  } while (at !== null);
}
