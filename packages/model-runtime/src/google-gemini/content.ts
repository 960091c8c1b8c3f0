import { defined, type JsonObject, type MediaSource, type ToolResult, type UserPart } from '@toolyard/protocol';
import { toBlock, toResultContent, type ContentFormat, type SentMedia } from '../wire/content.ts';
import { readMedia } from '../wire/media.ts';

/** The text and attachments of a user message as JSON of parts. Empty text is omitted: the API rejects it. */
export function userParts(parts: readonly UserPart[]): string[] {
  const sent = parts.map((part) => toBlock(part, format));
  return sent.filter((part) => part['text'] !== '').map((part) => JSON.stringify(part));
}

/**
 * Types that the API accepts. Sources: https://ai.google.dev/gemini-api/docs/image-understanding, and the same for audio,
 * video and documents.
 */
const ACCEPTED =
  /^(?:image\/(?:png|jpeg|webp|heic|heif)|audio\/(?:wav|mpeg|aiff|aac|ogg|flac|mp4|webm|opus|pcm|l16)|video\/.*|application\/pdf)$/;

const format: ContentFormat<JsonObject> = {
  text: (text) => ({ text }),
  image: mediaPart,
  audio: mediaPart,
  file: mediaPart,
};

/** Inline data or a URL; null for a type that the API does not accept. */
function mediaPart(media: SentMedia, mimeType: string): JsonObject | null {
  if ('url' in media) return { fileData: { ...(mimeType.includes('*') ? {} : { mimeType }), fileUri: media.url } };
  return ACCEPTED.test(media.mimeType) ? { inlineData: { mimeType: media.mimeType, data: media.data } } : null;
}

/** An image of an answer, or one to edit; null if it cannot be sent. */
export function imagePart(mimeType: string, source: MediaSource): JsonObject | null {
  const media = readMedia(source, mimeType);
  return 'problem' in media ? null : mediaPart(media, mimeType);
}

/** A tool result as text, and its images as parts. */
export function resultContent(result: ToolResult): { text: string; images: JsonObject[] } {
  return toResultContent(result, 'shown below', format);
}

/** A tool result as JSON of parts: the answer to the call with its images inside it or, for older models, after it. */
export function resultParts(id: string | undefined, name: string, result: ToolResult, imagesInside: boolean): string[] {
  const { text, images } = resultContent(result);
  const inside = imagesInside && images.every((part) => part['inlineData'] !== undefined) && images.length > 0;
  const response: JsonObject = {
    ...defined({ id }),
    name,
    response: result.isError ? { error: text } : { output: text },
    ...(inside ? { parts: images } : {}),
  };
  return [{ functionResponse: response }, ...(inside ? [] : images)].map((part) => JSON.stringify(part));
}
