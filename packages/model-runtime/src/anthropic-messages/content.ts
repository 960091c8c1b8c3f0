import type { JsonObject, ToolResult, UserPart } from '@toolyard/protocol';
import { scrub } from '../scrub.ts';
import {
  COMMON_IMAGES,
  isOneOf,
  toBlock,
  toResultContent,
  type ContentFormat,
  type SentMedia,
} from '../wire/content.ts';

/** The text and attachments of a user message as JSON content blocks. Empty text is omitted: the API rejects it. */
export function userBlocks(parts: readonly UserPart[]): string[] {
  const blocks = parts.map((part) => toBlock(part, format));
  return blocks.flatMap((block) => (block === null ? [] : [JSON.stringify(block)]));
}

const format: ContentFormat<JsonObject | null> = {
  text: textBlock,
  image: (media) => (isOneOf(media, COMMON_IMAGES) ? { type: 'image', source: sourceOf(media) } : null),
  audio: () => null,
  file: (media, mimeType, name) =>
    mimeType === 'application/pdf' ? { type: 'document', title: scrub(name), source: sourceOf(media) } : null,
};

/** Null for blank text: the API rejects it. */
export function textBlock(text: string): JsonObject | null {
  return text.trim() === '' ? null : { type: 'text', text: scrub(text) };
}

function sourceOf(media: SentMedia): JsonObject {
  if ('url' in media) return { type: 'url', url: media.url };
  return { type: 'base64', media_type: media.mimeType, data: media.data };
}

/** A tool result as JSON of one block, images included. */
export function resultBlock(id: string, result: ToolResult): string {
  const { text, images } = toResultContent(result, 'shown below', format);
  const content = images.length === 0 ? text : [textBlock(text), ...images].filter((block) => block !== null);
  return JSON.stringify({
    type: 'tool_result',
    tool_use_id: id,
    content,
    ...(result.isError ? { is_error: true } : {}),
  });
}

/** The text of a result, and its images as JSON of blocks. */
export function resultContent(result: ToolResult): { text: string; images: string[] } {
  const { text, images } = toResultContent(result, 'shown below', format);
  return { text, images: images.map((image) => JSON.stringify(image)) };
}
