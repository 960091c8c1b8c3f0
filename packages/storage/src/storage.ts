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
  /** The data folder; made, for its owner alone, where it is not there. */
  folder: string;
  clock: Clock;
  /** Passed at `<transaction>:begun`, `:written` and `:committed`; it may throw or end the process, not wait. */
  failpoint?: Failpoint;
  /** The database grows to so many pages (4 kB each) and is full then; absent: as the disk allows. */
  maxPages?: number;
};

/** An open data folder. Every repository call names on whose behalf it is made. */
export type Storage = Repositories & {
  readonly folder: string;
  readonly runs: SyncRunStore;
  readonly blobs: BlobStore;
  sweepBlobs(options: SweepOptions): Promise<number>;
  counts(): Promise<StoredCounts>;
  /** Copies everything to a folder that does not exist yet, while work goes on. What has that name is whole. */
  backup(to: string, options: BackupOptions): Promise<BackupResult>;
  /** Reads everything through; takes long where there is much. */
  check(): Promise<CheckResult>;
  /** Folds the log into the database file and gives the folder free. May be called again. */
  close(): void;
};

export type DatabaseOptions = {
  /** `postgres://user:password@host:port/database`. */
  url: string;
  clock: Clock;
  /** Passed at `<transaction>:begun`, `:written` and `:committed`; it may throw, wait or end the process. */
  failpoint?: Failpoint;
  /** How many connections this process opens at most, beside the one it listens on; 10 where absent. */
  connections?: number;
  /** Where the bytes of blobs are stored from now on; in the database where absent. */
  files?: S3Settings;
  /** False: processes look for each other's words once a second, and are not notified of them. */
  notify?: boolean;
};

type Promised<T> = {
  [K in keyof T]: T[K] extends (...parameters: infer P) => infer R
    ? (...parameters: P) => R | Promise<Awaited<R>>
    : T[K];
};

/** What there is on every engine: one answers at once, another over a socket. */
export type SharedStorage = Repositories & {
  readonly runs: RunStore;
  readonly blobs: Promised<BlobStore>;
  /** Removes blobs nothing names any more, and gives how many; takes long where there is much, and holds nobody up. */
  sweepBlobs(options: SweepOptions): Promise<number>;
  /** What is under way. */
  counts(): Promise<StoredCounts>;
  /** Reads everything through; takes long where there is much. */
  check(): Promise<CheckResult>;
  /** May be called again. */
  close(): void | Promise<void>;
};

/** What the processes over one database come to the same key by, and find out that they have. */
export type Installation = {
  /** 16 bytes that are this installation's own, and no secret. */
  salt(): Promise<Uint8Array>;
  /** Of the key; null where nobody could show yet that theirs is the right one. */
  fingerprint(): Promise<string | null>;
  /** False, and nothing is kept, where it is not `before` any more. */
  setFingerprint(fingerprint: string | null, before: string | null): Promise<boolean>;
};

/** A database that many processes share. */
export type DatabaseStorage = SharedStorage & {
  readonly bulletins: NotificationChannel;
  readonly processes: Processes;
  readonly installation: Installation;
  close(): Promise<void>;
};
