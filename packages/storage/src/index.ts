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
export type { StoredApiKey, ApiKeyRepository } from './repositories/api-keys.ts';
export type { StoredSession, SessionRepository } from './repositories/sessions.ts';
export type { AgentRepository, StoredAgent } from './repositories/agents.ts';
export type { GroupRepository, StoredGroup } from './repositories/groups.ts';
export type {
  StoredConversation,
  ConversationChange,
  ConversationRepository,
  FoundConversation,
} from './repositories/conversations.ts';
export type { MessageRepository } from './repositories/messages.ts';
export type { PermissionRepository } from './repositories/permissions.ts';
export type { DraftRepository } from './repositories/drafts.ts';
export type {
  DueFiring,
  FiringKey,
  FiringOutcome,
  ScheduleRepository,
  StoredSchedule,
} from './repositories/schedules.ts';
export type { DeliveryKey, StoredDelivery, StoredTrigger, TriggerRepository } from './repositories/triggers.ts';
export type { IdempotencyKey, IdempotencyRepository } from './repositories/idempotency-keys.ts';
export type { RateCounterRepository, RateSpan } from './repositories/rate-counters.ts';
export type { RunListQuery, RunListRepository, RunPosition } from './repositories/run-list.ts';
export type { ArtifactRepository, StoredArtifactVersion } from './repositories/artifacts.ts';
export type { MemoryRepository, StoredMemory } from './repositories/memories.ts';
export type { StoredTranslation, TranslationChange, TranslationRepository } from './repositories/translations.ts';
export type { QueueRepository } from './repositories/queue.ts';
export type { SecretRepository } from './repositories/secrets.ts';
export type { SettingsRepository } from './repositories/settings.ts';
export type { SignInRepository } from './repositories/sign-ins.ts';
export type {
  PendingNotification,
  StoredRunWebhook,
  StoredWebhook,
  WebhookRepository,
} from './repositories/webhooks.ts';
export type { UsageRepository } from './repositories/usage.ts';
export type { UsageFound, UsageQuery } from './usage/usage-report.ts';
export type { StoredTabCall, TabOffer, TabRepository } from './repositories/tabs.ts';
