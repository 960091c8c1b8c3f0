import type { StorageEngine } from '../engine/engine.ts';
import type { ReadUsage } from '../usage/usage-report.ts';
import type { AgentRepository } from './agents.ts';
import { createAgentRepository } from './agents.ts';
import type { ConversationSearch } from './conversation-search.ts';
import type { ApiKeyRepository } from './api-keys.ts';
import { createApiKeyRepository } from './api-keys.ts';
import type { ConversationRepository } from './conversations.ts';
import { createConversationRepository } from './conversations.ts';
import type { DraftRepository } from './drafts.ts';
import { createDraftRepository } from './drafts.ts';
import type { MessageRepository } from './messages.ts';
import { createMessageRepository } from './messages.ts';
import type { PermissionRepository } from './permissions.ts';
import { createPermissionRepository } from './permissions.ts';
import type { ArtifactRepository } from './artifacts.ts';
import { createArtifactRepository } from './artifacts.ts';
import type { GroupRepository } from './groups.ts';
import { createGroupRepository } from './groups.ts';
import type { MemoryRepository } from './memories.ts';
import { createMemoryRepository } from './memories.ts';
import type { QueueRepository } from './queue.ts';
import { createQueueRepository } from './queue.ts';
import type { IdempotencyRepository } from './idempotency-keys.ts';
import { createIdempotencyRepository } from './idempotency-keys.ts';
import type { RateCounterRepository } from './rate-counters.ts';
import { createRateCounterRepository } from './rate-counters.ts';
import type { TriggerRepository } from './triggers.ts';
import { createTriggerRepository } from './triggers.ts';
import type { RequestPreludeRepository } from './request-preludes.ts';
import { createRequestPreludeRepository } from './request-preludes.ts';
import type { RunStateRepository } from './run-states.ts';
import { createRunStateRepository } from './run-states.ts';
import type { RunListRepository } from './run-list.ts';
import { createRunListRepository } from './run-list.ts';
import type { ScheduleRepository } from './schedules.ts';
import { createScheduleRepository } from './schedules.ts';
import type { SecretRepository } from './secrets.ts';
import { createSecretRepository } from './secrets.ts';
import type { SessionRepository } from './sessions.ts';
import { createSessionRepository } from './sessions.ts';
import type { SettingsRepository } from './settings.ts';
import { createSettingsRepository } from './settings.ts';
import type { SignInRepository } from './sign-ins.ts';
import { createSignInRepository } from './sign-ins.ts';
import type { WebhookRepository } from './webhooks.ts';
import { createWebhookRepository } from './webhooks.ts';
import type { TranslationRepository } from './translations.ts';
import { createTranslationRepository } from './translations.ts';
import type { UsageRepository } from './usage.ts';
import { createUsageRepository } from './usage.ts';
import type { TabRepository } from './tabs.ts';
import { createTabRepository } from './tabs.ts';

/** Everything stored besides runs and blobs. Every call names its owner. */
export type Repositories = {
  readonly conversations: ConversationRepository;
  readonly messages: MessageRepository;
  readonly queue: QueueRepository;
  readonly drafts: DraftRepository;
  readonly artifacts: ArtifactRepository;
  readonly memories: MemoryRepository;
  readonly translations: TranslationRepository;
  readonly agents: AgentRepository;
  readonly groups: GroupRepository;
  readonly permissions: PermissionRepository;
  readonly settings: SettingsRepository;
  readonly secrets: SecretRepository;
  readonly signIns: SignInRepository;
  readonly sessions: SessionRepository;
  readonly apiKeys: ApiKeyRepository;
  readonly webhooks: WebhookRepository;
  readonly requestPreludes: RequestPreludeRepository;
  readonly usage: UsageRepository;
  readonly tabs: TabRepository;
  readonly schedules: ScheduleRepository;
  readonly triggers: TriggerRepository;
  readonly idempotencyKeys: IdempotencyRepository;
  readonly rateCounters: RateCounterRepository;
  readonly runList: RunListRepository;
  readonly runStates: RunStateRepository;
};

/** `search` and `usage` depend on the engine and may take long. */
export function createRepositories(engine: StorageEngine, search: ConversationSearch, usage: ReadUsage): Repositories {
  return {
    conversations: createConversationRepository(engine, search),
    messages: createMessageRepository(engine),
    queue: createQueueRepository(engine),
    drafts: createDraftRepository(engine.db),
    artifacts: createArtifactRepository(engine.db),
    memories: createMemoryRepository(engine.db),
    translations: createTranslationRepository(engine.db),
    agents: createAgentRepository(engine.db),
    groups: createGroupRepository(engine.db),
    permissions: createPermissionRepository(engine),
    settings: createSettingsRepository(engine.db),
    secrets: createSecretRepository(engine.db),
    signIns: createSignInRepository(engine.db),
    sessions: createSessionRepository(engine.db),
    apiKeys: createApiKeyRepository(engine.db),
    webhooks: createWebhookRepository(engine.db),
    requestPreludes: createRequestPreludeRepository(engine.db),
    usage: createUsageRepository(engine, usage),
    tabs: createTabRepository(engine),
    schedules: createScheduleRepository(engine),
    triggers: createTriggerRepository(engine),
    idempotencyKeys: createIdempotencyRepository(engine),
    rateCounters: createRateCounterRepository(engine),
    runList: createRunListRepository(engine),
    runStates: createRunStateRepository(engine.db),
  };
}
