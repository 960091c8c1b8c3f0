import type { StorageEngine } from '../engine/engine.ts';
import type { CopiedTable } from './tables.ts';

export type KeyDerivation = { salt: Uint8Array; fingerprint: string | null };

/** The source or target of a copy: a data folder or a database. */
export type StorageEndpoint = {
  /** Name for messages, without credentials. */
  readonly where: string;
  readonly engine: StorageEngine;
  listColumns(table: string): Promise<string[]>;
  /** The bytes of a blob, null if they are missing. */
  readBytes(sha256: string): Promise<Uint8Array | null>;
  /** The number assigned to the last row of a numbered table, even if that row was deleted. */
  lastNumber(table: string): Promise<number>;
  /** Salt and fingerprint of the key derived from TOOLYARD_SECRET; null if not set yet. */
  keyDerivation(): Promise<KeyDerivation | null>;
  close(): Promise<void>;
};

/** The target of a copy. Nothing else can open it until the copy is finished. */
export type CopyTarget = StorageEndpoint & {
  /** Whether there is an unfinished copy. */
  hasUnfinishedCopy(): Promise<boolean>;
  /** Creates the progress table if it is missing, and disables foreign keys within tables. */
  begin(): Promise<void>;
  keepBytes(sha256: string, bytes: Uint8Array): Promise<void>;
  /** Completes the copy: restores foreign keys, sets sequences and key derivation, and makes the target openable. */
  finish(of: { lastNumbers: ReadonlyMap<string, number>; keyDerivation: KeyDerivation | null }): Promise<void>;
};

/** Table with the progress of a copy, in the target until the copy is finished. */
export const PROGRESS_TABLE = 'toolyard_copy';

export function quoteIdentifier(column: string): string {
  return `"${column}"`;
}

/** The copied columns of a table. */
export async function copiedColumns(
  endpoint: StorageEndpoint,
  { name, excludedColumns = [] }: CopiedTable,
): Promise<string[]> {
  return (await endpoint.listColumns(name)).filter((column) => !excludedColumns.includes(column));
}
