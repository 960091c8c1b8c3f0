import type { Clock, Failpoint, RunStore } from '@toolyard/protocol';
import type { BackupResult, BackupOptions } from './backup.ts';
import type { SweepOptions } from './blob-sweep.ts';
import type { BlobStore } from './blobs.ts';
import type { NotificationChannel } from './notifications.ts';
import type { CheckResult } from './check.ts';
import type { Processes } from './processes.ts';
import type { Repositories } from './repositories/create-repositories.ts';
import type { StoredCounts } from './runs/counts.ts';
import type { S3Settings } from './s3/settings.ts';
import type { SyncRunStore } from './sqlite/run-store.ts';

export type StorageOptions = {
  /** The data folder; created with access for its owner only if it does not exist. */
  folder: string;
  clock: Clock;
  /** Passed at `<transaction>:begun`, `:written` and `:committed`; it may throw or exit the process, not wait. */
  failpoint?: Failpoint;
  /** Maximum size of the database in pages of 4 kB; default: unlimited. */
  maxPages?: number;
};

/** An open data folder. Every repository call names its owner. */
export type Storage = Repositories & {
  readonly folder: string;
  readonly runs: SyncRunStore;
  readonly blobs: BlobStore;
  sweepBlobs(options: SweepOptions): Promise<number>;
  counts(): Promise<StoredCounts>;
  /**
   * Copies everything to a folder that does not exist yet, without blocking. A folder with that name is always
   * complete.
   */
  backup(to: string, options: BackupOptions): Promise<BackupResult>;
  /** Verifies all data; takes long for large databases. */
  check(): Promise<CheckResult>;
  /** Checkpoints the WAL and unlocks the folder. May be called again. */
  close(): void;
};

export type DatabaseOptions = {
  /** `postgres://user:password@host:port/database`. */
  url: string;
  clock: Clock;
  /** Passed at `<transaction>:begun`, `:written` and `:committed`; it may throw, wait or exit the process. */
  failpoint?: Failpoint;
  /** Maximum number of connections of this process, besides the listening one; default 10. */
  connections?: number;
  /** Where the bytes of new blobs are stored; default: in the database. */
  files?: S3Settings;
  /** False: processes poll for notifications once a second instead of using LISTEN/NOTIFY. */
  notify?: boolean;
};

type Promisified<T> = {
  [K in keyof T]: T[K] extends (...parameters: infer P) => infer R
    ? (...parameters: P) => R | Promise<Awaited<R>>
    : T[K];
};

/** The interface of every engine, synchronous or over a socket. */
export type SharedStorage = Repositories & {
  readonly runs: RunStore;
  readonly blobs: Promisified<BlobStore>;
  /** Deletes blobs without references and returns their number; takes long for large databases, without blocking. */
  sweepBlobs(options: SweepOptions): Promise<number>;
  /** Numbers of active runs and leases. */
  counts(): Promise<StoredCounts>;
  /** Verifies all data; takes long for large databases. */
  check(): Promise<CheckResult>;
  /** May be called again. */
  close(): void | Promise<void>;
};

/** Key derivation shared by the processes of one database, and verification that all derive the same key. */
export type Installation = {
  /** 16 bytes unique to this installation; not secret. */
  salt(): Promise<Uint8Array>;
  /** Fingerprint of the key; null until a process has proved that its key is the right one. */
  fingerprint(): Promise<string | null>;
  /** False, without a change, if it is no longer `before`. */
  setFingerprint(fingerprint: string | null, before: string | null): Promise<boolean>;
};

/** A database shared by many processes. */
export type DatabaseStorage = SharedStorage & {
  readonly notifications: NotificationChannel;
  readonly processes: Processes;
  readonly installation: Installation;
  close(): Promise<void>;
};
