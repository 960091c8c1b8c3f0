import type {
  AssistantMessage,
  Message,
  MessageEnd,
  SystemMessage,
  ToolMessage,
  Usage,
  UserMessage,
} from '@toolyard/protocol';
import { z } from 'zod';
import { jsonObject, named, time, toolReference } from './common.ts';
import { exactly } from './exactly.ts';
import { assistantPart, textPart, toolResult, userPart } from './parts.ts';

const base = { id: z.string(), parentId: z.string().nullable(), createdAt: time };

export const usage = named(
  'Usage',
  exactly<Usage>()(
    z.strictObject({
      inputTokens: z.number().exactOptional(),
      outputTokens: z.number().exactOptional(),
      cachedInputTokens: z.number().exactOptional(),
      cacheWriteTokens: z.number().exactOptional(),
      reasoningTokens: z.number().exactOptional(),
    }),
  ),
);

const user = z.strictObject({ ...base, role: z.literal('user'), parts: z.array(userPart) });

/** How an answer ended, or that it has not. */
export const finishReason = exactly<MessageEnd>()(
  z.enum(['stop', 'length', 'tool_calls', 'content_filter', 'error', 'cancelled', 'pending', 'abandoned']),
);

const assistant = z.strictObject({
  ...base,
  role: z.literal('assistant'),
  parts: z.array(assistantPart),
  runId: z.string(),
  model: z.string(),
  finishReason,
  usage: usage.exactOptional(),
  cost: z.number().exactOptional(),
});
const tool = z.strictObject({
  ...base,
  role: z.literal('tool'),
  name: z.string(),
  tool: toolReference.nullable(),
  editedArguments: jsonObject.exactOptional(),
  parts: z.tuple([z.strictObject({ type: z.literal('tool_result'), callId: z.string(), result: toolResult })]),
});
const fold = z.strictObject({
  upTo: z.string(),
  messages: z.int(),
  tokensBefore: z.int(),
  tokensAfter: z.int(),
});
const system = z.strictObject({
  ...base,
  role: z.literal('system'),
  parts: z.array(textPart),
  folds: fold.exactOptional(),
});

export const systemMessage = named('SystemMessage', exactly<SystemMessage>()(system));
export const userMessage = named('UserMessage', exactly<UserMessage>()(user));
export const assistantMessage = named('AssistantMessage', exactly<AssistantMessage>()(assistant));
export const toolMessage = named('ToolMessage', exactly<ToolMessage>()(tool));
export const message = named(
  'Message',
  exactly<Message>()(z.discriminatedUnion('role', [system, user, assistant, tool])),
);
