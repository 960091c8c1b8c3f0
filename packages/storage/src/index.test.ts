import { exportedTypes } from '@toolyard/testing';
import { expect, test } from 'vitest';
import * as root from './index.ts';

test('exports exactly the public API', () => {
  expect(Object.keys(root).sort()).toEqual([
    'DATABASE_FILE',
    'DATABASE_FILES',
    'FINGERPRINT_FILE',
    'KEY_FILE',
    'MAX_INLINE_BYTES',
    'SALT_FILE',
    'StorageError',
    'backupFolder',
    'checkDatabaseAt',
    'checkStorage',
    'copyStorage',
    'makePrivate',
    'mediaToBlobs',
    'openStorage',
    'readS3Settings',
    'readSetting',
    'scrubText',
    'textsToFiles',
  ]);
});

test('exports these types and no others', () => {
  const types = `
    AgentRepository ApiKeyRepository ArtifactRepository BlobInfo BlobStore CheckResult ConversationChange
    ConversationRepository CopyOptions CopyResult DatabaseOptions DatabaseStorage DeliveryKey DraftRepository
    DueFiring FiringKey FiringOutcome FoundConversation GroupRepository IdempotencyKey IdempotencyRepository
    Installation KeepFile LeasedServer LiveProcess MemoryRepository MessageRepository NotificationChannel
    NotifiedRun PendingNotification PermissionRepository Processes QueueRepository RateCounterRepository RateSpan
    RunListQuery RunListRepository RunPosition S3Settings ScheduleRepository SecretRepository SessionRepository
    SettingsRepository SharedStorage SignInRepository Storage StorageLocation StorageOptions StorageProblem
    StoredAgent StoredApiKey StoredArtifactVersion StoredConversation StoredDelivery StoredGroup StoredMemory
    StoredRunWebhook StoredSchedule StoredSession StoredTabCall StoredTranslation StoredTrigger StoredWebhook
    SyncRunStore TabOffer TabRepository TranslationChange TranslationRepository TriggerRepository UsageFound
    UsageQuery UsageRepository WebhookRepository
  `;
  expect(exportedTypes(new URL('index.ts', import.meta.url))).toEqual(types.trim().split(/\s+/));
});
