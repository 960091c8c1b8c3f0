import { describe } from 'vitest';
import { describeAccess } from './access.ts';
import { describeArtifactsAndMemories } from './artifacts-and-memories.ts';
import { describeBlobSweep } from './blob-sweep.ts';
import { describeSearch } from './conversation-search.ts';
import { describeDecisionsAndSecrets } from './decisions-and-secrets.ts';
import type { CreateTestStore } from './test-store.ts';
import { describeDrafts } from './drafts.ts';
import { describeMessagePages } from './message-pages.ts';
import { describeQueue } from './queue.ts';
import { describeConversationsAndMore } from './repositories.ts';
import { describeRunList } from './run-list.ts';
import { describeSchedules } from './schedules.ts';
import { describeSignIns } from './sign-ins.ts';
import { describeTriggers } from './triggers.ts';
import { describeTranslations } from './translations.ts';
import { describeTitles } from './titles.ts';
import { describeUsage } from './usage.ts';
import { describeWebhooks } from './webhooks.ts';

/** The contract of the repositories, which every engine is tested against. */
export function describeRepositories(name: string, createStore: CreateTestStore): void {
  const suites = {
    'conversations, messages, agents, settings': describeConversationsAndMore,
    'pages of messages': describeMessagePages,
    'queued messages': describeQueue,
    drafts: describeDrafts,
    'artifacts and memories': describeArtifactsAndMemories,
    translations: describeTranslations,
    'generated titles': describeTitles,
    'decisions and secrets': describeDecisionsAndSecrets,
    schedules: describeSchedules,
    'incoming webhooks and API keys of runs': describeTriggers,
    'run list': describeRunList,
    'sign-ins': describeSignIns,
    'sessions, sign-in codes and API keys': describeAccess,
    'what calls came to': describeUsage,
    'webhooks, and what else answers and runs are told by': describeWebhooks,
    'full text': describeSearch,
    'blobs nothing names': describeBlobSweep,
  };
  describe(name, () => {
    for (const [subject, suite] of Object.entries(suites)) describe(subject, () => suite(createStore));
  });
}
