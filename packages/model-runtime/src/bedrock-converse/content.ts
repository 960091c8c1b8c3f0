import type { JsonObject, ToolResult, UserPart } from '@toolyard/protocol';
import { scrub } from '../scrub.ts';
import { COMMON_IMAGES, toBlock, toResultContent, type ContentFormat } from '../wire/content.ts';

/** The text and attachments of a user message as JSON content blocks. Empty text is omitted: the API rejects it. */
export function userBlocks(parts: readonly UserPart[]): string[] {
  const blocks = parts.map((part) => toBlock(part, format)).filter((block) => block !== null);
  // The API accepts a document only beside text.
  const needsText = blocks.some((block) => 'document' in block) && !blocks.some((block) => 'text' in block);
  return (needsText ? [...blocks, { text: '(see the document)' }] : blocks).map((block) => JSON.stringify(block));
}

/** The API takes bytes only. */
const format: ContentFormat<JsonObject | null> = {
  text: textBlock,
  image: (media) =>
    'url' in media || !COMMON_IMAGES.has(media.mimeType)
      ? null
      : { image: { format: media.mimeType.slice('image/'.length), source: { bytes: media.data } } },
  audio: () => null,
  file: (media, mimeType, name) =>
    'url' in media || mimeType !== 'application/pdf'
      ? null
      : { document: { format: 'pdf', name: documentName(name), source: { bytes: media.data } } },
};

/** Null for blank text: the API rejects it. */
export function textBlock(text: string): JsonObject | null {
  return text.trim() === '' ? null : { text: scrub(text) };
}

/** The API restricts the characters of a name, and allows no two spaces in a row. */
function documentName(name: string): string {
  const plain = name
    .replace(/[^A-Za-z0-9\-()[\] ]+/g, ' ')
    .replace(/ +/g, ' ')
    .trim()
    .slice(0, 200);
  return plain === '' ? 'document' : plain;
}

/** A tool result as JSON of one block, images included. */
export function resultBlock(id: string, result: ToolResult): string {
  const { text, images } = toResultContent(result, 'shown below', format);
  const content = [textBlock(text), ...images].filter((block) => block !== null);
  return JSON.stringify({
    toolResult: { toolUseId: id, content, ...(result.isError ? { status: 'error' } : {}) },
  });
}

/** The text of a result, and its images as JSON of blocks. */
export function resultContent(result: ToolResult): { text: string; images: string[] } {
  const { text, images } = toResultContent(result, 'shown below', format);
  return { text, images: images.map((image) => JSON.stringify(image)) };
}
