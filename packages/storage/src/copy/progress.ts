import type { StorageEngine } from '../engine/engine.ts';
import type { StoreWork } from '../engine/work.ts';
import { statements } from '../engine/work.ts';
import { PROGRESS_TABLE } from './storage-endpoint.ts';
import type { Key } from '../engine/read-rows.ts';

/** Progress of a copy, written in the same transaction as the copied rows. */
export type Progress = {
  /** The source of the copy, null if none was started. */
  source(): string | null;
  /** Whether a step is done, or the key of its last row. */
  of(step: string): 'done' | Key | null;
  /** Blobs whose bytes are missing. */
  missing(): ReadonlySet<string>;
  noteSource(source: string): StoreWork<void>;
  note(step: string, at: 'done' | Key): StoreWork<void>;
  addMissing(sha256: string): StoreWork<void>;
};

const SOURCE = 'source';
const LOST = 'lost ';

export async function readProgress(engine: StorageEngine): Promise<Progress> {
  const all = engine.prepare<{ name: string; value: string }>(`SELECT name, value FROM ${PROGRESS_TABLE}`);
  const write = engine.prepare(`
    INSERT INTO ${PROGRESS_TABLE} (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`);
  const rows = await engine.perform(statements(() => all.all()));
  const known = new Map(rows.map(({ name, value }) => [name, value]));
  const missing = new Set(rows.filter(({ name }) => name.startsWith(LOST)).map(({ name }) => name.slice(LOST.length)));

  function* put(name: string, value: string): StoreWork<void> {
    yield* write.run(name, value);
  }

  return {
    source: () => known.get(SOURCE) ?? null,
    of(step) {
      const value = known.get(`step ${step}`);
      return value === undefined ? null : (JSON.parse(value) as 'done' | Key);
    },
    missing: () => missing,
    noteSource: (source) => put(SOURCE, source),
    note: (step, at) => put(`step ${step}`, JSON.stringify(at)),
    addMissing(sha256) {
      missing.add(sha256);
      return put(`${LOST}${sha256}`, '');
    },
  };
}
