import { z } from 'zod';
import { jsonObject, named, timestamp, toolReference } from './common.ts';
import { assistantPart, textPart, toolResult, userPart } from './parts.ts';

const base = {
  id: z.string(),
  /** The message this one follows; null for the first. A conversation is a tree. */
  parentId: z.string().nullable(),
  /** Milliseconds since 1970. */
  createdAt: timestamp,
};

export const usage = named(
  'Usage',
  z.strictObject({
    /** All of the input, whether or not a cache had it. */
    inputTokens: z.number().exactOptional(),
    outputTokens: z.number().exactOptional(),
    /** The part of the input that was read from a cache. */
    cachedInputTokens: z.number().exactOptional(),
    /** The part of the input that was written to a cache. */
    cacheWriteTokens: z.number().exactOptional(),
    /** The part of the output that was thinking. */
    reasoningTokens: z.number().exactOptional(),
  }),
);
/** Tokens of one or more model calls. A field that is absent is unknown, never zero. */
export type Usage = z.output<typeof usage>;

const user = z.strictObject({ ...base, role: z.literal('user'), parts: z.array(userPart) });

/** How an answer ended, or that it has not. */
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
 * How a message of an assistant came to its end, beside what a model says:
 * - `cancelled`: a person stopped it; what was said is kept
 * - `pending`: it is being written; the events of its run tell how far it is
 * - `abandoned`: the process died; the answer was begun anew beside it, and no model is shown this one
 */
export type MessageEnd = z.output<typeof finishReason>;

const assistant = z.strictObject({
  ...base,
  role: z.literal('assistant'),
  parts: z.array(assistantPart),
  runId: z.string(),
  model: z.string(),
  finishReason,
  usage: usage.exactOptional(),
  /** US dollars, at the price of then; absent where price or usage are unknown. */
  cost: z.number().exactOptional(),
});
const tool = z.strictObject({
  ...base,
  role: z.literal('tool'),
  name: z.string(),
  tool: toolReference.nullable(),
  /** What the call was made with, where a person had changed what the model asked for. */
  editedArguments: jsonObject.exactOptional(),
  parts: z.tuple([z.strictObject({ type: z.literal('tool_result'), callId: z.string(), result: toolResult })]),
});
const fold = z.strictObject({
  /** The id of the last message that is folded. */
  upTo: z.string(),
  /** How many messages are folded, those of earlier summaries included. */
  messages: z.int(),
  /** What was sent of them, and what stands for them, in tokens, by estimate. */
  tokensBefore: z.int(),
  tokensAfter: z.int(),
});
/** The messages a summary stands for: those of its branch from the first on, up to `upTo`. */
export type CompactedRange = z.output<typeof fold>;
const system = z.strictObject({
  ...base,
  role: z.literal('system'),
  parts: z.array(textPart),
  /** Set on a summary: a model gets it in the place of the messages of its branch up to this one. */
  folds: fold.exactOptional(),
});

export const systemMessage = named('SystemMessage', system);
export type SystemMessage = z.output<typeof systemMessage>;
export const userMessage = named('UserMessage', user);
export type UserMessage = z.output<typeof userMessage>;
export const assistantMessage = named('AssistantMessage', assistant);
export type AssistantMessage = z.output<typeof assistantMessage>;
export const toolMessage = named('ToolMessage', tool);
/** One tool's answer to one call. */
export type ToolMessage = z.output<typeof toolMessage>;
export const message = named('Message', z.discriminatedUnion('role', [system, user, assistant, tool]));
export type Message = z.output<typeof message>;
/** Why a model stops. `error`: the stream ended badly, what came before it is kept. */
export type FinishReason = Exclude<MessageEnd, 'pending' | 'abandoned'>;
export type ToolResultPart = ToolMessage['parts'][0];
