import { z } from 'zod';
import { jsonObject, jsonValue, named, namedObject, toolAnnotations, toolReference } from './common.ts';
import { agentConfiguration } from './configuration.ts';
import { usage } from './messages.ts';
import { assistantPart, audioPart, imagePart, textPart, toolResult, userPart } from './parts.ts';

/** Fields of a message besides its content; a caller without a conversation may omit them. */
const envelope = {
  id: z.string().max(300).exactOptional(),
  parentId: z.string().max(300).nullable().exactOptional(),
  createdAt: z.number().exactOptional(),
};

const chatMessage = named(
  'ChatMessage',
  z.discriminatedUnion('role', [
    z.strictObject({ ...envelope, role: z.literal('system'), parts: z.array(textPart) }),
    z.strictObject({ ...envelope, role: z.literal('user'), parts: z.array(userPart) }),
    z.strictObject({
      ...envelope,
      role: z.literal('assistant'),
      parts: z.array(assistantPart),
      runId: z.string().exactOptional(),
      model: z.string().exactOptional(),
      finishReason: z.string().exactOptional(),
      usage: usage.exactOptional(),
    }),
    z.strictObject({
      ...envelope,
      role: z.literal('tool'),
      name: z.string(),
      tool: toolReference.nullable().exactOptional(),
      editedArguments: jsonObject.exactOptional(),
      parts: z.tuple([z.strictObject({ type: z.literal('tool_result'), callId: z.string(), result: toolResult })]),
    }),
  ]),
);
export type ChatMessage = z.output<typeof chatMessage>;

const chatTool = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'expected 1 to 64 letters, digits or any of _ -'),
  inputSchema: jsonObject,
  title: z.string().exactOptional(),
  description: z.string().exactOptional(),
  outputSchema: jsonObject.exactOptional(),
  tool: toolReference.exactOptional(),
  annotations: toolAnnotations.exactOptional(),
  builtIn: z.boolean().exactOptional(),
});

const model = z.string().min(1).max(300);
const parameters = agentConfiguration.shape.parameters.unwrap();
const messages = z.array(chatMessage).min(1).max(20_000);

export const chatCall = namedObject('ChatCall', {
  model,
  messages,
  tools: z.array(chatTool).max(1000).exactOptional(),
  toolChoice: z.union([z.enum(['auto', 'none', 'required']), z.strictObject({ name: z.string() })]).exactOptional(),
  toolMode: z.enum(['native', 'text']).exactOptional(),
  parameters: parameters.exactOptional(),
  responseFormat: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('json') }),
      z.strictObject({ type: z.literal('json_schema'), name: z.string().min(1), schema: jsonObject }),
    ])
    .exactOptional(),
  user: z.string().min(1).max(512).exactOptional().describe('Opaque id of the end user, for APIs with a field for it.'),
});
export type ChatCall = z.output<typeof chatCall>;

const text = z.string().max(1_000_000);

export const embeddingsCall = namedObject('EmbeddingsCall', {
  model,
  input: z.array(text).min(1).max(2048),
  dimensions: z.int().positive().exactOptional(),
});
export const embeddings = namedObject('Embeddings', {
  vectors: z.array(z.array(z.number())),
  usage: usage.exactOptional(),
});

export const imagesCall = namedObject('ImagesCall', {
  model,
  prompt: text.min(1),
  images: z.array(imagePart).max(16).exactOptional(),
  size: z.string().max(20).exactOptional(),
  count: z.int().min(1).max(10).exactOptional(),
});
export const images = namedObject('Images', { images: z.array(imagePart), usage: usage.exactOptional() });

export const speechCall = namedObject('SpeechCall', {
  model,
  text: text.min(1),
  voice: z.string().max(100).exactOptional(),
  format: z.enum(['mp3', 'wav', 'opus', 'aac', 'flac', 'pcm']).exactOptional(),
  speed: z.number().positive().max(10).exactOptional(),
  instructions: text.exactOptional(),
});
export const speech = namedObject('Speech', {
  file: z.string().describe('SHA-256 of the audio file; fetch it from /api/files'),
  mimeType: z.string(),
  size: z.int(),
});

export const transcriptionCall = namedObject('TranscriptionCall', {
  model,
  audio: audioPart,
  language: z.string().max(20).exactOptional(),
  prompt: text.exactOptional(),
});
export const transcription = namedObject('Transcription', { text: z.string(), usage: usage.exactOptional() });

export const objectCall = namedObject('ObjectCall', {
  model,
  messages,
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'expected 1 to 64 letters, digits or any of _ -'),
  description: text.exactOptional(),
  schema: jsonObject,
  parameters: parameters.exactOptional(),
});
export const generatedObject = namedObject('GeneratedObject', {
  object: jsonValue,
  by: z.enum(['native', 'tool', 'text']),
  usage: usage.exactOptional(),
});
