/**
 * Stores conversations, runs, agents, settings and blobs: in a data folder, which is one SQLite database with files, or
 * in a PostgreSQL database shared by many processes.
 * @module
 */
export { openStorage } from './open-storage.ts';
export { readSetting } from './sqlite/read-setting.ts';
export type { NotificationChannel, NotifiedRun } from './notifications.ts';
export type { LeasedServer, LiveProcess, Processes } from './processes.ts';
export type * from './storage.ts';
export { backupFolder } from './backup.ts';
export { DATABASE_FILE, DATABASE_FILES, FINGERPRINT_FILE, KEY_FILE, SALT_FILE } from './layout.ts';
export { makePrivate } from './private-mode.ts';
export { checkStorage } from './check.ts';
export { checkDatabaseAt } from './postgres/check-at.ts';
export { readS3Settings } from './s3/settings.ts';
export type { S3Settings } from './s3/settings.ts';
export { copyStorage } from './copy/copy-storage.ts';
export type { CopyResult, CopyOptions, StorageLocation } from './copy/copy-storage.ts';
export type { CheckResult } from './check.ts';
export { StorageError } from './storage-error.ts';
export type { StorageProblem } from './storage-error.ts';
export { MAX_INLINE_BYTES, textsToFiles } from './large-results.ts';
export type { KeepFile } from './media.ts';
export { mediaToBlobs } from './media.ts';
export { scrubText } from './text.ts';
export type { SyncRunStore } from './sqlite/run-store.ts';
export type { BlobInfo, BlobStore } from './blobs.ts';
export type * from './repositories/api-keys.ts';
export type * from './repositories/sessions.ts';
export type * from './repositories/agents.ts';
export type * from './repositories/groups.ts';
export type * from './repositories/conversations.ts';
export type * from './repositories/messages.ts';
export type * from './repositories/permissions.ts';
export type * from './repositories/drafts.ts';
export type * from './repositories/schedules.ts';
export type * from './repositories/triggers.ts';
export type * from './repositories/idempotency-keys.ts';
export type * from './repositories/rate-counters.ts';
export type * from './repositories/run-list.ts';
export type * from './repositories/artifacts.ts';
export type * from './repositories/memories.ts';
export type * from './repositories/translations.ts';
export type * from './repositories/queue.ts';
export type * from './repositories/secrets.ts';
export type * from './repositories/settings.ts';
export type * from './repositories/sign-ins.ts';
export type * from './repositories/webhooks.ts';
export type * from './repositories/usage.ts';
export type { UsageFound, UsageQuery } from './usage/usage-report.ts';
export type * from './repositories/tabs.ts';
