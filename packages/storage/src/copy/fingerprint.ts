import { createHash } from 'node:crypto';
import type { Value } from '../engine/work.ts';
import type { StorageEndpoint } from './storage-endpoint.ts';
import { quoteIdentifier } from './storage-endpoint.ts';
import { rowReader } from '../engine/read-rows.ts';
import type { CopiedTable } from './tables.ts';

/** Number of rows and a checksum over all of them in order. */
export type Fingerprint = { rows: number; sha256: string };

/** Reads a whole table; equal rows give the same fingerprint on every engine. */
export async function computeFingerprint(
  place: StorageEndpoint,
  table: CopiedTable,
  { columns, counts }: { columns: readonly string[]; counts: (row: readonly Value[]) => boolean },
): Promise<Fingerprint> {
  const read = rowReader(place.engine, table, columns.map(quoteIdentifier));
  const hash = createHash('sha256');
  let count = 0;
  let page = await read(null);
  for (;;) {
    for (const row of page.rows) {
      if (!counts(row)) continue;
      hash.update(JSON.stringify(row.map(plain)));
      hash.update('\n');
      count++;
    }
    if (page.last === null) return { rows: count, sha256: hash.digest('hex') };
    page = await read(page.last);
  }
}

/** Encodes bytes so that they differ from any text or number. */
function plain(value: Value): unknown {
  return value instanceof Uint8Array ? [Buffer.from(value).toString('base64')] : value;
}
