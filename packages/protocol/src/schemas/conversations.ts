import { z } from 'zod';
import { existingId, named, clientId, pageOf, timestamp, titleText } from './common.ts';
import { agentConfiguration, resolvedConfiguration } from './configuration.ts';
import { assistantMessage, message, userMessage } from './messages.ts';
import { userPart } from './parts.ts';
import { runRecord, runStatus, storedInterrupt } from './runs.ts';

const head = {
  id: z.string(),
  /** Empty until something was said; shown then as "new chat". */
  title: z.string(),
  agentId: z.string().nullable(),
  pinned: z.boolean(),
  createdAt: timestamp,
  updatedAt: timestamp,
};

const conversationSummary = named(
  'ConversationSummary',
  z.strictObject({
    ...head,
    /** The run under way, if there is one. */
    activeRun: z.strictObject({ id: z.string(), status: runStatus }).nullable(),
    /** With a search: the words around what was found, the finds between U+0002 and U+0003. */
    snippet: z.string().exactOptional(),
  }),
);
export type ConversationSummary = z.output<typeof conversationSummary>;
export const conversationPage = pageOf('ConversationPage', conversationSummary);

export const messagePage = named(
  'MessagePage',
  z.strictObject({
    messages: z.array(message),
    /**
     * For each message above that has them: all messages with the same parent, itself included, by age, without
     * abandoned ones. Choosing another one is a change of the leaf.
     */
    alternatives: z.record(z.string(), z.array(z.string())),
    /** Answers that were begun and abandoned beside the messages above; their parent tells where. */
    abandoned: z.array(assistantMessage),
    /** True where older messages of this branch come before the first. */
    earlier: z.boolean(),
  }),
);
/**
 * A stretch of one branch, oldest first.
 */
export type MessagePage = z.output<typeof messagePage>;

export const queuedMessage = named(
  'QueuedMessage',
  z.strictObject({
    id: z.string(),
    conversationId: z.string(),
    parts: z.array(userPart),
    createdAt: timestamp,
    /** Counts for its run only, as it was sent. */
    configuration: agentConfiguration.exactOptional(),
    /** The run in progress takes it in before its next step. */
    steers: z.literal(true).exactOptional(),
  }),
);
export type QueuedMessage = z.output<typeof queuedMessage>;
export const queuePage = pageOf('QueuePage', queuedMessage);

export const conversationView = named(
  'ConversationView',
  z.strictObject({
    ...head,
    configuration: agentConfiguration,
    leafId: z.string().nullable(),
    /** What all layers give together. */
    resolved: resolvedConfiguration,
    /** The end of the current branch. */
    page: messagePage,
    /** Read its events from 0, or what `page` does not hold of it. */
    activeRun: runRecord.nullable(),
    queue: z.array(queuedMessage),
    interrupts: z.array(storedInterrupt),
  }),
);
export type ConversationView = z.output<typeof conversationView>;

export const createConversationBody = named(
  'CreateConversation',
  z.strictObject({
    id: clientId.exactOptional(),
    title: titleText.exactOptional(),
    agentId: existingId.exactOptional(),
    configuration: agentConfiguration.exactOptional(),
  }),
);
export type CreateConversation = z.output<typeof createConversationBody>;

export const changeConversationBody = named(
  'ChangeConversation',
  z.strictObject({
    title: titleText.exactOptional(),
    pinned: z.boolean().exactOptional(),
    agentId: existingId.nullable().exactOptional(),
    /** Takes the place of the whole configuration. */
    configuration: agentConfiguration.exactOptional(),
    /** Shows the branch that ends in this message, or, of one with answers, the newest below it. */
    leafId: existingId.exactOptional(),
  }),
);
export type ChangeConversation = z.output<typeof changeConversationBody>;

const parts = z.array(userPart).min(1).max(100);

export const sendMessageBody = named(
  'SendMessage',
  z.strictObject({
    /** Made by the sender, so that sending again after a lost connection stores it once. */
    id: clientId.exactOptional(),
    parts,
    /** What it follows; absent: the current leaf. For an edited message the parent of the old one (null: the first). */
    parentId: existingId.nullable().exactOptional(),
    /**
     * What to do while a run is under way; default `queue`. `steer`: the run takes it in before its next step; should it
     * end before that, the message is sent when its turn comes.
     */
    whenBusy: z.enum(['queue', 'steer', 'interrupt', 'refuse']).exactOptional(),
    /** Counts for this run only. */
    configuration: agentConfiguration.exactOptional(),
  }),
);
export type SendMessage = z.output<typeof sendMessageBody>;

export const sentMessage = named(
  'SentMessage',
  z.union([z.strictObject({ run: runRecord, message: userMessage }), z.strictObject({ queued: queuedMessage })]),
);
/** 201 with `run`, or 202 with `queued`. */
export type SentMessage = z.output<typeof sentMessage>;

export const regenerateBody = named(
  'Regenerate',
  z.strictObject({ messageId: existingId, configuration: agentConfiguration.exactOptional() }),
);
/** Answers the same message anew, as another branch: that of the person before `messageId`, which is an answer. */
export type Regenerate = z.output<typeof regenerateBody>;
export const regenerated = named('Regenerated', z.strictObject({ run: runRecord }));

export const continueConversationBody = named(
  'ContinueConversation',
  z.strictObject({ messageId: existingId.exactOptional(), configuration: agentConfiguration.exactOptional() }),
);
/**
 * Goes on where the conversation broke off: an answer that was cut, a run that ended after a tool had answered, a
 * message that was never answered. `messageId`: the last message as the sender knows it; another one is a conflict.
 */
export type ContinueConversation = z.output<typeof continueConversationBody>;
export const continuedConversation = named(
  'ContinuedConversation',
  z.strictObject({ run: runRecord, how: z.enum(['same', 'new', 'answer']) }),
);
/**
 * `same`: the answer goes on in its own text, as a new version of that message beside the cut one. `new`: the provider
 * cannot do that, and a new message goes on. `answer`: nothing had been said, the answer is written now.
 */
export type ContinuedConversation = z.output<typeof continuedConversation>;

export const changeQueuedMessageBody = named(
  'ChangeQueuedMessage',
  z.strictObject({ parts: parts.exactOptional(), before: existingId.nullable().exactOptional() }),
);
/** `before`: the id of the queued message it is to stand before; null: the end. */
export type ChangeQueuedMessage = z.output<typeof changeQueuedMessageBody>;

export const conversationExport = named(
  'ConversationExport',
  z.strictObject({
    format: z.literal('toolyard-conversation'),
    version: z.literal(1),
    exportedAt: timestamp,
    conversation: z.strictObject({
      id: z.string(),
      title: z.string(),
      configuration: agentConfiguration,
      leafId: z.string().nullable(),
    }),
    messages: z.array(message),
  }),
);
/** `toolyard-export` of one conversation: every branch, with what a blob holds written out. */
export type ConversationExport = z.output<typeof conversationExport>;
