import { z } from 'zod';
import { agentReference, jsonObject, named, namedObject, timestamp, toolReference } from './common.ts';
import { memberTurn } from './member-turns.ts';
import { assistantPart, textPart, toolResult, unmadeCall, userPart } from './parts.ts';

const base = {
  id: z.string(),
  /** The previous message; null for the first. A conversation is a tree. */
  parentId: z.string().nullable(),
  /** Milliseconds since 1970. */
  createdAt: timestamp,
};

export const usage = namedObject('Usage', {
  /** All input tokens, cached or not. */
  inputTokens: z.number().exactOptional(),
  outputTokens: z.number().exactOptional(),
  /** The part of the input that was read from a cache. */
  cachedInputTokens: z.number().exactOptional(),
  /** The part of the input that was written to a cache. */
  cacheWriteTokens: z.number().exactOptional(),
  /** The part of the output that was reasoning. */
  reasoningTokens: z.number().exactOptional(),
});
/** Tokens of one or more model calls. A field that is absent is unknown, never zero. */
export type Usage = z.output<typeof usage>;

const user = z.strictObject({
  ...base,
  role: z.literal('user'),
  parts: z.array(userPart),
  /** The agent that the user asked to answer this message, instead of that of the conversation. */
  mention: agentReference.exactOptional(),
});

/** How an answer ended, or `pending`. */
export const finishReason = z.enum([
  'stop',
  'length',
  'tool_calls',
  'content_filter',
  'error',
  'cancelled',
  'pending',
  'abandoned',
]);
/**
 * How an assistant message ended, beyond a model's own reasons:
 * - `cancelled`: a user stopped it; its text so far is kept
 * - `pending`: it is being written; the events of its run have the progress
 * - `abandoned`: the process crashed; the answer was started again beside it, and models do not receive this one
 */
export type MessageEnd = z.output<typeof finishReason>;

const assistant = z.strictObject({
  ...base,
  role: z.literal('assistant'),
  parts: z.array(assistantPart),
  runId: z.string(),
  model: z.string(),
  /** The agent that answered. */
  agent: agentReference.exactOptional(),
  /** Set if a member of a group answered; absent for its supervisor. */
  member: memberTurn.exactOptional(),
  finishReason,
  /** Calls in its text that were not made. */
  unmadeCalls: z.array(unmadeCall).exactOptional(),
  usage: usage.exactOptional(),
  /** US dollars, at the price at that time; absent if price or usage are unknown. */
  cost: z.number().exactOptional(),
});
const tool = z.strictObject({
  ...base,
  role: z.literal('tool'),
  name: z.string(),
  tool: toolReference.nullable(),
  /** The arguments of the call, if a user edited those of the model. */
  editedArguments: jsonObject.exactOptional(),
  parts: z.tuple([z.strictObject({ type: z.literal('tool_result'), callId: z.string(), result: toolResult })]),
});
const compactedRange = z.strictObject({
  /** Id of the last compacted message. */
  upTo: z.string(),
  /** Number of compacted messages, including those of earlier summaries. */
  messages: z.int(),
  /** Estimated tokens of the compacted messages and of the summary. */
  tokensBefore: z.int(),
  tokensAfter: z.int(),
});
/** The messages that a summary replaces: those of its branch from the first to `upTo`. */
export type CompactedRange = z.output<typeof compactedRange>;
const system = z.strictObject({
  ...base,
  role: z.literal('system'),
  parts: z.array(textPart),
  /** Set on a summary: a model receives it instead of the messages of its branch up to this one. */
  compaction: compactedRange.exactOptional(),
});

export const systemMessage = named('SystemMessage', system);
export type SystemMessage = z.output<typeof systemMessage>;
export const userMessage = named('UserMessage', user);
export type UserMessage = z.output<typeof userMessage>;
export const assistantMessage = named('AssistantMessage', assistant);
export type AssistantMessage = z.output<typeof assistantMessage>;
export const toolMessage = named('ToolMessage', tool);
/** The result of one tool call. */
export type ToolMessage = z.output<typeof toolMessage>;
export const message = named('Message', z.discriminatedUnion('role', [system, user, assistant, tool]));
export type Message = z.output<typeof message>;
/** Why a model stopped. `error`: the stream failed; the content before the failure is kept. */
export type FinishReason = Exclude<MessageEnd, 'pending' | 'abandoned'>;
export type ToolResultPart = ToolMessage['parts'][0];
