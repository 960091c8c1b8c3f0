import { z } from 'zod';
import { errorInfo, jsonObject, jsonValue, named, namedObject, toolReference } from './common.ts';

const mimeType = z.string().min(1).max(200);

const mediaSource = named(
  'MediaSource',
  z.union([
    z.strictObject({ data: z.string() }).describe('Base64, at most 64 kB of bytes'),
    z.strictObject({ url: z.string() }),
    z.strictObject({ blob: z.string() }).describe('The sha256 of an uploaded file'),
  ]),
);
/** Where bytes are: inline as base64, at a URL, or in the blob store by SHA-256. */
export type MediaSource = z.output<typeof mediaSource>;

const text = { type: z.literal('text'), text: z.string() };
const name = z.string().exactOptional();
const image = { type: z.literal('image'), mimeType, name, source: mediaSource };
const audio = { type: z.literal('audio'), mimeType, name, source: mediaSource };
const resource = {
  type: z.literal('resource'),
  uri: z.string(),
  /** The MCP server it was read from. */
  serverId: z.string().exactOptional(),
  name: z.string().exactOptional(),
  title: z.string().exactOptional(),
  description: z.string().exactOptional(),
  mimeType: z.string().exactOptional(),
  text: z.string().exactOptional(),
  source: mediaSource.exactOptional(),
};
const hints = {
  /** MCP's annotations: the audience and the priority (0 to 1). */
  audience: z.array(z.enum(['user', 'assistant'])).exactOptional(),
  priority: z.number().exactOptional(),
};

export const textPart = z.strictObject(text);
export const imagePart = z.strictObject(image);
export const audioPart = z.strictObject(audio);

export const toolContentPart = named(
  'ToolContentPart',
  z.discriminatedUnion('type', [
    z.strictObject({ ...text, ...hints }),
    /** `name`: file name of the attachment. */
    z.strictObject({ ...image, ...hints }),
    z.strictObject({ ...audio, ...hints }),
    /** An MCP resource: a link (no content) or one with its content. */
    z.strictObject({ ...resource, ...hints }),
  ]),
);
/** Content that a tool can return. */
export type ToolContentPart = z.output<typeof toolContentPart>;

export const promptMessage = z.strictObject({ role: z.enum(['user', 'assistant']), content: toolContentPart });
/** A message of an MCP prompt. Untrusted, like all content of servers. */
export type PromptMessage = z.output<typeof promptMessage>;

export const userPart = named(
  'UserPart',
  z.discriminatedUnion('type', [
    z.strictObject(text),
    /** `name`: file name of the attachment. */
    z.strictObject(image),
    z.strictObject(audio),
    z.strictObject({ type: z.literal('file'), mimeType, name: z.string().exactOptional(), source: mediaSource }),
    /** An MCP resource: a link (no content) or one with its content. */
    z.strictObject(resource),
    /** An MCP prompt that the user selected, with its arguments filled in. */
    z.strictObject({
      type: z.literal('prompt'),
      serverId: z.string(),
      name: z.string(),
      title: z.string().exactOptional(),
      arguments: z.record(z.string(), z.string()),
      messages: z.array(promptMessage),
    }),
  ]),
);
export type UserPart = z.output<typeof userPart>;
export type TextPart = Extract<UserPart, { type: 'text' }>;
/** `name`: file name of the attachment. */
export type ImagePart = Extract<UserPart, { type: 'image' }>;
export type AudioPart = Extract<UserPart, { type: 'audio' }>;
export type FilePart = Extract<UserPart, { type: 'file' }>;
/** An MCP resource: a link (no content) or one with its content. */
export type ResourcePart = Extract<UserPart, { type: 'resource' }>;
/** An MCP prompt that the user selected, with its arguments filled in. */
export type PromptPart = Extract<UserPart, { type: 'prompt' }>;

export const toolCallPart = z.strictObject({
  type: z.literal('tool_call'),
  /** Toolyard's id, unique in the conversation. */
  callId: z.string(),
  /** The provider's id, sent back to it unchanged. Providers repeat these; use it for nothing else. */
  providerCallId: z.string().exactOptional(),
  /** The model-facing name, as the model wrote it. */
  name: z.string(),
  /** Null if no tool has this name. */
  tool: toolReference.nullable(),
  /** Empty if the arguments are invalid, see {@link ToolCallPart.problem}. */
  arguments: jsonObject,
  /** Why this call cannot be made; the model gets it as the result and may try again. */
  problem: errorInfo.exactOptional(),
  /** The model wrote the call as text. */
  isText: z.literal(true).exactOptional(),
});
/** A tool call of the model. */
export type ToolCallPart = z.output<typeof toolCallPart>;

export const unmadeCall = namedObject('UnmadeCall', { name: z.string(), tool: toolReference, arguments: jsonObject });
/** A call in the text of an answer of a model that calls tools natively: it is text, unless the user makes it a call. */
export type UnmadeCall = z.output<typeof unmadeCall>;

const textCallSource = z.strictObject({
  from: z.enum(['result', 'user', 'attachment', 'prompt', 'answer', 'summary', 'server', 'skills']),
  /** Of the tool, attachment, prompt or server. */
  name: z.string().exactOptional(),
});
/** What a call that a model wrote as text was copied from. */
export type TextCallSource = z.output<typeof textCallSource>;

export const textCall = z.strictObject({
  /** Set if the call occurs in data that the model received. */
  copiedFrom: textCallSource.exactOptional(),
  /** Set if it is in a quote or in code. */
  position: z.enum(['quote', 'code']).exactOptional(),
  /** The user made it a call. */
  byUser: z.literal(true).exactOptional(),
});
/** A call that the model wrote as text. With any of the fields it needs approval, whatever is allowed. */
export type TextCall = z.output<typeof textCall>;

export const malformedToolCallPart = z.strictObject({
  type: z.literal('malformed_tool_call'),
  callId: z.string(),
  raw: z.string(),
  reason: z.string(),
});
/** A text tool call that could not be parsed. `raw` is the model's text. */
export type MalformedToolCallPart = z.output<typeof malformedToolCallPart>;

export const assistantPart = named(
  'AssistantPart',
  z.discriminatedUnion('type', [
    z.strictObject(text),
    /** The model's reasoning. `signature` is opaque and is sent back unchanged to the provider that issued it. */
    z.strictObject({ type: z.literal('reasoning'), text: z.string(), signature: z.string().exactOptional() }),
    toolCallPart,
    malformedToolCallPart,
    /** `name`: file name of the attachment. */
    z.strictObject(image),
    z.strictObject({
      type: z.literal('citation'),
      url: z.string(),
      title: z.string().exactOptional(),
      text: z.string().exactOptional(),
    }),
    z.strictObject({ type: z.literal('error'), error: errorInfo }),
  ]),
);
export type AssistantPart = z.output<typeof assistantPart>;
/** The model's reasoning. `signature` is opaque and is sent back unchanged to the provider that issued it. */
export type ReasoningPart = Extract<AssistantPart, { type: 'reasoning' }>;
export type CitationPart = Extract<AssistantPart, { type: 'citation' }>;
export type ErrorPart = Extract<AssistantPart, { type: 'error' }>;

export const resourcePart = namedObject('ResourcePart', resource);

export const toolResult = namedObject('ToolResult', {
  content: z.array(toolContentPart),
  structured: jsonValue.exactOptional(),
  isError: z.boolean(),
  outcome: z.enum(['done', 'not_sent', 'unknown']),
  /** Set if Toolyard, not the tool, produced the result. */
  error: errorInfo.exactOptional(),
});
/** The complete result of a tool, with every kind of content. */
export type ToolResult = z.output<typeof toolResult>;
/**
 * What is known about the effect of a call.
 * - `done`: the tool answered
 * - `not_sent`: the call never reached the tool (denied, unknown tool, invalid arguments); it is safe to retry
 * - `unknown`: the call was sent and its outcome is unknown; it must not be retried blindly
 */
export type ToolOutcome = ToolResult['outcome'];
