import { z } from 'zod';
import { artifactExport } from './artifacts.ts';
import {
  errorInfo,
  existingId,
  named,
  namedObject,
  clientId,
  createPageSchema,
  timestamp,
  titleText,
} from './common.ts';
import { agentConfiguration, resolvedConfiguration } from './configuration.ts';
import { assistantMessage, message, userMessage } from './messages.ts';
import { userPart } from './parts.ts';
import { MAX_SUB_AGENT_TASKS } from '../sub-agents.ts';
import { subAgentTask } from './sub-agents.ts';
import { messageTranslation } from './translations.ts';
import { runRecord, runStatus, storedInterrupt } from './runs.ts';

const head = {
  id: z.string(),
  /** Empty until the first message; shown then as "New chat". */
  title: z.string(),
  agentId: z.string().nullable(),
  /** The group that answers in it. */
  groupId: z.string().exactOptional(),
  pinned: z.boolean(),
  createdAt: timestamp,
  updatedAt: timestamp,
  /** Set for the conversation of a sub-agent: the call that started it. It is not listed, and deleted with the other. */
  parent: z
    .strictObject({ conversationId: z.string(), title: z.string(), runId: z.string(), callId: z.string() })
    .exactOptional(),
};

const conversationSummary = namedObject('ConversationSummary', {
  ...head,
  /** The active run, if there is one. */
  activeRun: z.strictObject({ id: z.string(), status: runStatus }).nullable(),
  /** For a search: the text around the matches, each match between U+0002 and U+0003. */
  snippet: z.string().exactOptional(),
  /** The message of the snippet; absent if only the title matches. It may be on another branch. */
  messageId: z.string().exactOptional(),
});
export type ConversationSummary = z.output<typeof conversationSummary>;
export const conversationPage = createPageSchema('ConversationPage', conversationSummary);

export const messagePage = namedObject('MessagePage', {
  messages: z.array(message),
  /**
   * Per message that has them: all messages with the same parent, itself included, oldest first, without abandoned
   * ones. Choosing another one changes the leaf.
   */
  alternatives: z.record(z.string(), z.array(z.string())),
  /** Abandoned answers beside the messages above; their parent says where they belong. */
  abandoned: z.array(assistantMessage),
  /** True if the branch has older messages. */
  earlier: z.boolean(),
});
/** A section of one branch, oldest first. */
export type MessagePage = z.output<typeof messagePage>;

export const queuedMessage = namedObject('QueuedMessage', {
  id: z.string(),
  conversationId: z.string(),
  parts: z.array(userPart),
  createdAt: timestamp,
  /** Overrides for its run only, as they were sent. */
  configuration: agentConfiguration.exactOptional(),
  /** The agent that answers it, instead of the conversation's. */
  agentId: z.string().exactOptional(),
  /** The active run adds it to its branch before its next step. */
  steers: z.literal(true).exactOptional(),
});
export type QueuedMessage = z.output<typeof queuedMessage>;
export const queuePage = createPageSchema('QueuePage', queuedMessage);

const unfinishedEnd = z.strictObject({
  runId: z.string(),
  status: z.enum(['failed', 'cancelled']),
  error: errorInfo.exactOptional(),
});

export const conversationView = namedObject('ConversationView', {
  ...head,
  configuration: agentConfiguration,
  leafId: z.string().nullable(),
  /** The merged configuration of all layers. */
  resolved: resolvedConfiguration,
  /** The end of the current branch. */
  page: messagePage,
  /** The active run: read its events from 0, or those that `page` does not contain. */
  activeRun: runRecord.nullable(),
  /** How the last run of the branch ended, if it failed or was stopped: not every end is part of a message. */
  ended: unfinishedEnd.exactOptional(),
  queue: z.array(queuedMessage),
  interrupts: z.array(storedInterrupt),
  /** Translations of its messages; absent without any. */
  translations: z.array(messageTranslation).exactOptional(),
});
export type ConversationView = z.output<typeof conversationView>;

export const createConversationBody = namedObject('CreateConversation', {
  id: clientId.exactOptional(),
  title: titleText.exactOptional(),
  agentId: existingId.exactOptional(),
  /** The group that answers, instead of an agent. */
  groupId: existingId.exactOptional(),
  configuration: agentConfiguration.exactOptional(),
  /** Not in lists and searches; deleted permanently after `DELETE`, or a day after its last message. */
  temporary: z.boolean().exactOptional(),
});
export type CreateConversation = z.output<typeof createConversationBody>;

export const changeConversationBody = namedObject('ChangeConversation', {
  title: titleText.exactOptional(),
  pinned: z.boolean().exactOptional(),
  agentId: existingId.nullable().exactOptional(),
  /** Replaces the whole configuration. */
  configuration: agentConfiguration.exactOptional(),
  /** Shows the branch that ends with this message or, if it has answers, the newest one below it. */
  leafId: existingId.exactOptional(),
});
export type ChangeConversation = z.output<typeof changeConversationBody>;

const parts = z.array(userPart).min(1).max(100);

export const sendMessageBody = namedObject('SendMessage', {
  /** Chosen by the client, so that a repeated request stores the message once. */
  id: clientId.exactOptional(),
  parts,
  /**
   * The message it follows; absent: the current leaf. For an edited message the parent of the original (null: the
   * first).
   */
  parentId: existingId.nullable().exactOptional(),
  /**
   * What to do while a run is active; default `queue`. `steer`: the run adds the message before its next step; if it
   * ends first, the message is sent as a queued one.
   */
  whenBusy: z.enum(['queue', 'steer', 'interrupt', 'refuse']).exactOptional(),
  /** Overrides for this run only. */
  configuration: agentConfiguration.exactOptional(),
  /**
   * Tasks that the run delegates to sub-agents before its model is asked; the model gets their answers with the
   * message. Such a message is not queued.
   */
  delegate: z.array(subAgentTask).min(1).max(MAX_SUB_AGENT_TASKS).exactOptional(),
  /**
   * The agent that answers this message, instead of the conversation's: its settings apply over those of the
   * conversation, except for the approval mode. Such a message does not steer an active run: it is queued. In the
   * conversation of a group: the member that answers next.
   */
  agentId: existingId.exactOptional(),
});
export type SendMessage = z.output<typeof sendMessageBody>;

export const sentMessage = named(
  'SentMessage',
  z.union([z.strictObject({ run: runRecord, message: userMessage }), z.strictObject({ queued: queuedMessage })]),
);
/** 201 with `run`, or 202 with `queued`. */
export type SentMessage = z.output<typeof sentMessage>;

export const regenerateBody = namedObject('Regenerate', {
  messageId: existingId,
  configuration: agentConfiguration.exactOptional(),
});
/** Answers the same user message again on another branch: the one before the answer `messageId`. */
export type Regenerate = z.output<typeof regenerateBody>;
export const regenerated = namedObject('Regenerated', { run: runRecord });

export const continueConversationBody = namedObject('ContinueConversation', {
  messageId: existingId.exactOptional(),
  configuration: agentConfiguration.exactOptional(),
});
/**
 * Continues an interrupted conversation: an answer that was cut off, a run that ended after a tool result, or a message
 * without an answer. `messageId`: the last message that the client knows; any other is a conflict.
 */
export type ContinueConversation = z.output<typeof continueConversationBody>;
export const continuedConversation = namedObject('ContinuedConversation', {
  run: runRecord,
  how: z.enum(['same', 'new', 'answer']),
});
/**
 * `same`: the answer continues in its own text, as a new version of the message. `new`: the provider cannot do that, so
 * a new message continues it. `answer`: there was no text yet, so the answer is written now.
 */
export type ContinuedConversation = z.output<typeof continuedConversation>;

/** `index`: which of the calls in the text, from 0. */
export const makeCallBody = namedObject('MakeCall', { index: z.int().min(0).exactOptional() });

export const changeQueuedMessageBody = namedObject('ChangeQueuedMessage', {
  parts: parts.exactOptional(),
  before: existingId.nullable().exactOptional(),
});
/** `before`: the id of the queued message to move it in front of; null: the end. */
export type ChangeQueuedMessage = z.output<typeof changeQueuedMessageBody>;

export const conversationExport = namedObject('ConversationExport', {
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
  artifacts: z.array(artifactExport).exactOptional(),
  /** Translations of its messages; absent without any. */
  translations: z.array(messageTranslation).exactOptional(),
});
/** `toolyard-export` of one conversation: every branch, with the content of blobs included. */
export type ConversationExport = z.output<typeof conversationExport>;
