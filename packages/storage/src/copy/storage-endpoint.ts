import type { StorageEngine } from '../engine/engine.ts';
import type { CopiedTable } from './tables.ts';

export type KeyDerivation = { salt: Uint8Array; fingerprint: string | null };

/** A data folder or a database, as it is copied from or to. */
export type StorageEndpoint = {
  /** As it may be shown. */
  readonly where: string;
  readonly engine: StorageEngine;
  columnsOf(table: string): Promise<string[]>;
  /** The bytes of a blob, null where they are not there. */
  bytesOf(sha256: string): Promise<Uint8Array | null>;
  /** The number the last row of a numbered table got, whether it is still there or not. */
  lastNumber(table: string): Promise<number>;
  /** What TOOLYARD_SECRET is made into a key with, and known again by; null where there is nothing of it yet. */
  keyMaking(): Promise<KeyDerivation | null>;
  close(): Promise<void>;
};

/** Where a copy is made. Until it is finished nothing else opens it. */
export type CopyTarget = StorageEndpoint & {
  /** Whether there is a copy that was not finished. */
  begun(): Promise<boolean>;
  /** Makes the table of the progress where it is not there yet, and lets rows come before those they refer to. */
  begin(): Promise<void>;
  keepBytes(sha256: string, bytes: Uint8Array): Promise<void>;
  /** Everything is there: references count again, numbers and the making of keys are set, and it can be opened. */
  finish(of: { lastNumbers: ReadonlyMap<string, number>; keyMaking: KeyDerivation | null }): Promise<void>;
};

/** Where a copy stands, kept in the target while it is being made. */
export const PROGRESS_TABLE = 'toolyard_copy';

export function quoteIdentifier(column: string): string {
  return `"${column}"`;
}

/** The columns of a table that are copied. */
export async function copiedColumns(place: StorageEndpoint, { name, leftOut = [] }: CopiedTable): Promise<string[]> {
  return (await place.columnsOf(name)).filter((column) => !leftOut.includes(column));
}
