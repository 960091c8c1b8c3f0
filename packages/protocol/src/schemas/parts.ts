import { z } from 'zod';
import { errorInfo, jsonObject, jsonValue, named, toolReference } from './common.ts';

const mimeType = z.string().min(1).max(200);

const mediaSource = named(
  'MediaSource',
  z.union([
    z.strictObject({ data: z.string() }).describe('Base64, at most 64 kB of bytes'),
    z.strictObject({ url: z.string() }),
    z.strictObject({ blob: z.string() }).describe('The sha256 of an uploaded file'),
  ]),
);
/** Where bytes are: in place as base64, at an address, or in the blob store by sha256. */
export type MediaSource = z.output<typeof mediaSource>;

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
  /** MCP's hints: for whom this is meant, and how much it matters (0 to 1). */
  audience: z.array(z.enum(['user', 'assistant'])).exactOptional(),
  priority: z.number().exactOptional(),
};

export const textPart = z.strictObject(text);
export const imagePart = z.strictObject(image);
export const audioPart = z.strictObject(audio);

export const userPart = named(
  'UserPart',
  z.discriminatedUnion('type', [
    z.strictObject(text),
    /** `name`: that of the file a person attached. */
    z.strictObject(image),
    z.strictObject(audio),
    z.strictObject({ type: z.literal('file'), mimeType, name: z.string().exactOptional(), source: mediaSource }),
    /** An MCP resource: a link to one (no content) or one with its content. */
    z.strictObject(resource),
  ]),
);
export type UserPart = z.output<typeof userPart>;
export type TextPart = Extract<UserPart, { type: 'text' }>;
/** `name`: that of the file a person attached. */
export type ImagePart = Extract<UserPart, { type: 'image' }>;
export type AudioPart = Extract<UserPart, { type: 'audio' }>;
export type FilePart = Extract<UserPart, { type: 'file' }>;
/** An MCP resource: a link to one (no content) or one with its content. */
export type ResourcePart = Extract<UserPart, { type: 'resource' }>;

export const toolCallPart = z.strictObject({
  type: z.literal('tool_call'),
  /** Ours, unique in the conversation. */
  callId: z.string(),
  /** The provider's own id, echoed back to it. Providers repeat these; nothing else may rely on them. */
  providerCallId: z.string().exactOptional(),
  /** The model-facing name, as the model wrote it. */
  name: z.string(),
  /** Null where nobody offers a tool of that name. */
  tool: toolReference.nullable(),
  /** Empty where {@link ToolCallPart.problem} says that the arguments could not be read. */
  arguments: jsonObject,
  /** Why this call cannot be made as it stands; the model is told and may try again. */
  problem: errorInfo.exactOptional(),
});
/** A call the model asked for, native or written as text: from here on there is no difference. */
export type ToolCallPart = z.output<typeof toolCallPart>;

export const malformedToolCallPart = z.strictObject({
  type: z.literal('malformed_tool_call'),
  callId: z.string(),
  raw: z.string(),
  reason: z.string(),
});
/** A call written as text that could not be read. `raw` is what the model wrote. */
export type MalformedToolCallPart = z.output<typeof malformedToolCallPart>;

export const assistantPart = named(
  'AssistantPart',
  z.discriminatedUnion('type', [
    z.strictObject(text),
    /** The model's thinking. `signature` is opaque and must go back unchanged to the provider that gave it. */
    z.strictObject({ type: z.literal('reasoning'), text: z.string(), signature: z.string().exactOptional() }),
    toolCallPart,
    malformedToolCallPart,
    /** `name`: that of the file a person attached. */
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
/** The model's thinking. `signature` is opaque and must go back unchanged to the provider that gave it. */
export type ReasoningPart = Extract<AssistantPart, { type: 'reasoning' }>;
export type CitationPart = Extract<AssistantPart, { type: 'citation' }>;
export type ErrorPart = Extract<AssistantPart, { type: 'error' }>;

export const resourcePart = named('ResourcePart', z.strictObject(resource));

export const toolContentPart = named(
  'ToolContentPart',
  z.discriminatedUnion('type', [
    z.strictObject({ ...text, ...hints }),
    /** `name`: that of the file a person attached. */
    z.strictObject({ ...image, ...hints }),
    z.strictObject({ ...audio, ...hints }),
    /** An MCP resource: a link to one (no content) or one with its content. */
    z.strictObject({ ...resource, ...hints }),
  ]),
);
/** What a tool can hand back. */
export type ToolContentPart = z.output<typeof toolContentPart>;

export const toolResult = named(
  'ToolResult',
  z.strictObject({
    content: z.array(toolContentPart),
    structured: jsonValue.exactOptional(),
    isError: z.boolean(),
    outcome: z.enum(['done', 'not_sent', 'unknown']),
    /** Set where Toolyard, not the tool, wrote the answer. */
    error: errorInfo.exactOptional(),
  }),
);
/** The whole of what came back from a tool: every content kind is kept. */
export type ToolResult = z.output<typeof toolResult>;
/**
 * How sure we are of what a call did.
 * - `done`: the tool answered
 * - `not_sent`: it never reached the tool (refused, unknown tool, bad arguments): trying again is safe
 * - `unknown`: it was sent and nobody can say whether it took effect: it must not be repeated blindly
 */
export type ToolOutcome = ToolResult['outcome'];
