import type {
  ChangeConversation,
  ChangeQueuedMessage,
  ContinueConversation,
  ContinuedConversation,
  ConversationExport,
  ConversationSummary,
  ConversationView,
  CreateConversation,
  MessagePage,
  QueuedMessage,
  Regenerate,
  RunRecord,
  SendMessage,
  SentMessage,
} from '@toolyard/protocol';
import { z } from 'zod';
import { anId, named, newId, pageOf, time, title } from './common.ts';
import { agentConfiguration, resolvedConfiguration } from './configuration.ts';
import { exactly } from './exactly.ts';
import { assistantMessage, message, userMessage } from './messages.ts';
import { userPart } from './parts.ts';
import { runRecord, runStatus, storedInterrupt } from './runs.ts';

const head = {
  id: z.string(),
  title: z.string(),
  agentId: z.string().nullable(),
  pinned: z.boolean(),
  createdAt: time,
  updatedAt: time,
};

const conversationSummary = named(
  'ConversationSummary',
  exactly<ConversationSummary>()(
    z.strictObject({
      ...head,
      activeRun: z.strictObject({ id: z.string(), status: runStatus }).nullable(),
      snippet: z.string().exactOptional(),
    }),
  ),
);
export const conversationPage = pageOf('ConversationPage', conversationSummary);

export const messagePage = named(
  'MessagePage',
  exactly<MessagePage>()(
    z.strictObject({
      messages: z.array(message),
      alternatives: z.record(z.string(), z.array(z.string())),
      abandoned: z.array(assistantMessage),
      earlier: z.boolean(),
    }),
  ),
);

export const queuedMessage = named(
  'QueuedMessage',
  exactly<QueuedMessage>()(
    z.strictObject({
      id: z.string(),
      conversationId: z.string(),
      parts: z.array(userPart),
      createdAt: time,
      configuration: agentConfiguration.exactOptional(),
      steers: z.literal(true).exactOptional(),
    }),
  ),
);
export const queuePage = pageOf('QueuePage', queuedMessage);

export const conversationView = named(
  'ConversationView',
  exactly<ConversationView>()(
    z.strictObject({
      ...head,
      configuration: agentConfiguration,
      leafId: z.string().nullable(),
      resolved: resolvedConfiguration,
      page: messagePage,
      activeRun: runRecord.nullable(),
      queue: z.array(queuedMessage),
      interrupts: z.array(storedInterrupt),
    }),
  ),
);

export const createConversation = named(
  'CreateConversation',
  exactly<CreateConversation>()(
    z.strictObject({
      id: newId.exactOptional(),
      title: title.exactOptional(),
      agentId: anId.exactOptional(),
      configuration: agentConfiguration.exactOptional(),
    }),
  ),
);

export const changeConversation = named(
  'ChangeConversation',
  exactly<ChangeConversation>()(
    z.strictObject({
      title: title.exactOptional(),
      pinned: z.boolean().exactOptional(),
      agentId: anId.nullable().exactOptional(),
      configuration: agentConfiguration.exactOptional(),
      leafId: anId.exactOptional(),
    }),
  ),
);

const parts = z.array(userPart).min(1).max(100);

export const sendMessage = named(
  'SendMessage',
  exactly<SendMessage>()(
    z.strictObject({
      id: newId.exactOptional(),
      parts,
      parentId: anId.nullable().exactOptional(),
      whenBusy: z.enum(['queue', 'steer', 'interrupt', 'refuse']).exactOptional(),
      configuration: agentConfiguration.exactOptional(),
    }),
  ),
);

export const sentMessage = named(
  'SentMessage',
  exactly<SentMessage>()(
    z.union([z.strictObject({ run: runRecord, message: userMessage }), z.strictObject({ queued: queuedMessage })]),
  ),
);

export const regenerate = named(
  'Regenerate',
  exactly<Regenerate>()(z.strictObject({ messageId: anId, configuration: agentConfiguration.exactOptional() })),
);
export const regenerated = named('Regenerated', exactly<{ run: RunRecord }>()(z.strictObject({ run: runRecord })));

export const continueConversation = named(
  'ContinueConversation',
  exactly<ContinueConversation>()(
    z.strictObject({ messageId: anId.exactOptional(), configuration: agentConfiguration.exactOptional() }),
  ),
);
export const continuedConversation = named(
  'ContinuedConversation',
  exactly<ContinuedConversation>()(z.strictObject({ run: runRecord, how: z.enum(['same', 'new', 'answer']) })),
);

export const changeQueuedMessage = named(
  'ChangeQueuedMessage',
  exactly<ChangeQueuedMessage>()(
    z.strictObject({ parts: parts.exactOptional(), before: anId.nullable().exactOptional() }),
  ),
);

export const conversationExport = named(
  'ConversationExport',
  exactly<ConversationExport>()(
    z.strictObject({
      format: z.literal('toolyard-conversation'),
      version: z.literal(1),
      exportedAt: time,
      conversation: z.strictObject({
        id: z.string(),
        title: z.string(),
        configuration: agentConfiguration,
        leafId: z.string().nullable(),
      }),
      messages: z.array(message),
    }),
  ),
);
