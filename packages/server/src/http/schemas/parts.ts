import type {
  AssistantPart,
  MediaSource,
  ResourcePart,
  ToolContentPart,
  ToolResult,
  UserPart,
} from '@toolyard/protocol';
import { z } from 'zod';
import { errorInfo, jsonObject, jsonValue, named, toolReference } from './common.ts';
import { exactly } from './exactly.ts';

const mimeType = z.string().min(1).max(200);

const mediaSource = named(
  'MediaSource',
  exactly<MediaSource>()(
    z.union([
      z.strictObject({ data: z.string() }).describe('Base64, at most 64 kB of bytes'),
      z.strictObject({ url: z.string() }),
      z.strictObject({ blob: z.string() }).describe('The sha256 of an uploaded file'),
    ]),
  ),
);

const text = { type: z.literal('text'), text: z.string() };
const name = z.string().exactOptional();
const image = { type: z.literal('image'), mimeType, name, source: mediaSource };
const audio = { type: z.literal('audio'), mimeType, name, source: mediaSource };
const resource = {
  type: z.literal('resource'),
  uri: z.string(),
  name: z.string().exactOptional(),
  title: z.string().exactOptional(),
  description: z.string().exactOptional(),
  mimeType: z.string().exactOptional(),
  text: z.string().exactOptional(),
  source: mediaSource.exactOptional(),
};
const hints = {
  audience: z.array(z.enum(['user', 'assistant'])).exactOptional(),
  priority: z.number().exactOptional(),
};

export const textPart = z.strictObject(text);
export const imagePart = z.strictObject(image);
export const audioPart = z.strictObject(audio);

export const userPart = named(
  'UserPart',
  exactly<UserPart>()(
    z.discriminatedUnion('type', [
      z.strictObject(text),
      z.strictObject(image),
      z.strictObject(audio),
      z.strictObject({ type: z.literal('file'), mimeType, name: z.string().exactOptional(), source: mediaSource }),
      z.strictObject(resource),
    ]),
  ),
);

export const toolCallPart = z.strictObject({
  type: z.literal('tool_call'),
  callId: z.string(),
  providerCallId: z.string().exactOptional(),
  name: z.string(),
  tool: toolReference.nullable(),
  arguments: jsonObject,
  problem: errorInfo.exactOptional(),
});

export const malformedToolCallPart = z.strictObject({
  type: z.literal('malformed_tool_call'),
  callId: z.string(),
  raw: z.string(),
  reason: z.string(),
});

export const assistantPart = named(
  'AssistantPart',
  exactly<AssistantPart>()(
    z.discriminatedUnion('type', [
      z.strictObject(text),
      z.strictObject({ type: z.literal('reasoning'), text: z.string(), signature: z.string().exactOptional() }),
      toolCallPart,
      malformedToolCallPart,
      z.strictObject(image),
      z.strictObject({
        type: z.literal('citation'),
        url: z.string(),
        title: z.string().exactOptional(),
        text: z.string().exactOptional(),
      }),
      z.strictObject({ type: z.literal('error'), error: errorInfo }),
    ]),
  ),
);

export const resourcePart = named('ResourcePart', exactly<ResourcePart>()(z.strictObject(resource)));

export const toolContentPart = named(
  'ToolContentPart',
  exactly<ToolContentPart>()(
    z.discriminatedUnion('type', [
      z.strictObject({ ...text, ...hints }),
      z.strictObject({ ...image, ...hints }),
      z.strictObject({ ...audio, ...hints }),
      z.strictObject({ ...resource, ...hints }),
    ]),
  ),
);

export const toolResult = named(
  'ToolResult',
  exactly<ToolResult>()(
    z.strictObject({
      content: z.array(toolContentPart),
      structured: jsonValue.exactOptional(),
      isError: z.boolean(),
      outcome: z.enum(['done', 'not_sent', 'unknown']),
      error: errorInfo.exactOptional(),
    }),
  ),
);
