import type { FilePart, ImagePart, JsonObject, ToolResult, UserPart } from '@toolyard/protocol';
import { labelOf } from '@toolyard/protocol';
import { scrub } from '../scrub.ts';
import { isReachable, resourceImage, resourceText, textFile, toResultContent, unavailable } from '../wire/content.ts';

/** The text and attachments of a user message as JSON content blocks. Empty text is omitted: the API rejects it. */
export function userBlocks(parts: readonly UserPart[]): string[] {
  return parts.map(toBlock).flatMap((block) => (block === null ? [] : [JSON.stringify(block)]));
}

function toBlock(part: UserPart): JsonObject | null {
  switch (part.type) {
    case 'text':
      return textBlock(part.text);
    case 'image':
      return imageBlock(part);
    case 'file':
      return fileBlock(part);
    case 'resource': {
      const image = resourceImage(part);
      return image !== null && isReachable(image.source) ? imageBlock(image) : textBlock(resourceText(part));
    }
    default:
      return textBlock(unavailable(labelOf(part)));
  }
}

/** Null for blank text: the API rejects it. */
export function textBlock(text: string): JsonObject | null {
  return text.trim() === '' ? null : { type: 'text', text: scrub(text) };
}

function imageBlock({ source, mimeType }: ImagePart): JsonObject | null {
  if ('url' in source) return { type: 'image', source: { type: 'url', url: source.url } };
  if (!('data' in source)) return textBlock(unavailable(`image, ${mimeType}`));
  return { type: 'image', source: { type: 'base64', media_type: mimeType, data: source.data } };
}

function fileBlock(part: FilePart): JsonObject | null {
  const { name = 'file', mimeType, source } = part;
  const fileText = textFile(name, mimeType, source);
  if (fileText !== null) return textBlock(fileText);
  if (mimeType !== 'application/pdf' || !isReachable(source))
    return textBlock(unavailable(`file ${name}, ${mimeType}`));
  return {
    type: 'document',
    title: scrub(name),
    source:
      'url' in source
        ? { type: 'url', url: source.url }
        : { type: 'base64', media_type: mimeType, data: 'data' in source ? source.data : '' },
  };
}

/** A tool result as JSON of one block, images included. */
export function resultBlock(id: string, result: ToolResult): string {
  const { text, images } = toResultContent(result, 'shown below');
  const content =
    images.length === 0 ? text : [textBlock(text), ...images.map(imageBlock)].filter((block) => block !== null);
  return JSON.stringify({
    type: 'tool_result',
    tool_use_id: id,
    content,
    ...(result.isError ? { is_error: true } : {}),
  });
}

/** The images of a result, as JSON of blocks. */
export function resultImages(result: ToolResult): string[] {
  return toResultContent(result, 'shown below').images.map((image) => JSON.stringify(imageBlock(image)));
}
