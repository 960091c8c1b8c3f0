import type { JsonObject, MediaSource, ToolResult, UserPart } from '@toolyard/protocol';
import { defined, labelOf } from '@toolyard/protocol';
import { scrub } from '../scrub.ts';
import { isReachable, resourceImage, resourceText, textFile, toResultContent, unavailable } from '../wire/content.ts';

/** The text and attachments of a user message as JSON of parts. */
export function userParts(parts: readonly UserPart[]): string[] {
  return parts.map((part) => JSON.stringify(toPart(part)));
}

function toPart(part: UserPart): JsonObject {
  switch (part.type) {
    case 'text':
      return { text: scrub(part.text) };
    case 'file': {
      const { name = 'file', mimeType, source } = part;
      const fileText = textFile(name, mimeType, source);
      if (fileText !== null) return { text: fileText };
      return mediaPart(mimeType, source) ?? { text: unavailable(`file ${name}, ${mimeType}`) };
    }
    case 'resource': {
      const image = resourceImage(part);
      return (image && mediaPart(image.mimeType, image.source)) ?? { text: resourceText(part) };
    }
    case 'prompt':
      return { text: unavailable(labelOf(part)) };
    default:
      return mediaPart(part.mimeType, part.source) ?? { text: unavailable(labelOf(part)) };
  }
}

/** Inline data or a URL; null if the bytes were not loaded. */
export function mediaPart(mimeType: string, source: MediaSource): JsonObject | null {
  if ('data' in source) return { inlineData: { mimeType, data: source.data } };
  return 'url' in source ? { fileData: { mimeType, fileUri: source.url } } : null;
}

/** A tool result as JSON of parts: the answer to the call with its images inside it or, for older models, after it. */
export function resultParts(id: string | undefined, name: string, result: ToolResult, imagesInside: boolean): string[] {
  const { text, images } = toResultContent(result, 'shown below');
  const imageParts = images
    .filter(({ source }) => isReachable(source))
    .map(({ mimeType, source }) => mediaPart(mimeType, source))
    .filter((part) => part !== null);
  const inside = imagesInside && imageParts.every((part) => part['inlineData'] !== undefined) && imageParts.length > 0;
  const response: JsonObject = {
    ...defined({ id }),
    name,
    response: result.isError ? { error: text } : { output: text },
    ...(inside ? { parts: imageParts } : {}),
  };
  return [{ functionResponse: response }, ...(inside ? [] : imageParts)].map((part) => JSON.stringify(part));
}
