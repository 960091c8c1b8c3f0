import type { StorageEngine } from '../engine/engine.ts';
import type { ReadUsage } from '../usage/usage-report.ts';
import { createAgentRepository } from './agents.ts';
import type { ConversationSearch } from './conversation-search.ts';
import { createApiKeyRepository } from './api-keys.ts';
import { createConversationRepository } from './conversations.ts';
import { createDraftRepository } from './drafts.ts';
import { createMessageRepository } from './messages.ts';
import { createPermissionRepository } from './permissions.ts';
import { createArtifactRepository } from './artifacts.ts';
import { createGroupRepository } from './groups.ts';
import { createMemoryRepository } from './memories.ts';
import { createQueueRepository } from './queue.ts';
import { createIdempotencyRepository } from './idempotency-keys.ts';
import { createRateCounterRepository } from './rate-counters.ts';
import { createTriggerRepository } from './triggers.ts';
import { createRequestPreludeRepository } from './request-preludes.ts';
import { createRunStateRepository } from './run-states.ts';
import { createRunListRepository } from './run-list.ts';
import { createScheduleRepository } from './schedules.ts';
import { createSecretRepository } from './secrets.ts';
import { createSessionRepository } from './sessions.ts';
import { createSettingsRepository } from './settings.ts';
import { createSignInRepository } from './sign-ins.ts';
import { createWebhookRepository } from './webhooks.ts';
import { createTranslationRepository } from './translations.ts';
import { createUsageRepository } from './usage.ts';
import { createTabRepository } from './tabs.ts';

/** Everything stored besides runs and blobs. Every call names its owner. */
export type Repositories = Readonly<ReturnType<typeof createRepositories>>;

/** `search` and `usage` depend on the engine and may take long. */
export function createRepositories(engine: StorageEngine, search: ConversationSearch, usage: ReadUsage) {
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
