import type { FilePart, ImagePart, JsonObject, ToolResult, UserPart } from '@toolyard/protocol';
import { labelOf } from '@toolyard/protocol';
import { scrub } from '../scrub.ts';
import { resourceImage, resourceText, textFile, toResultContent, unavailable } from '../wire/content.ts';

/** The text and attachments of a user message as JSON content blocks. Empty text is omitted: the API rejects it. */
export function userBlocks(parts: readonly UserPart[]): string[] {
  const blocks = parts.map(toBlock).filter((block) => block !== null);
  // The API accepts a document only beside text.
  const needsText = blocks.some((block) => 'document' in block) && !blocks.some((block) => 'text' in block);
  return (needsText ? [...blocks, { text: '(see the document)' }] : blocks).map((block) => JSON.stringify(block));
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
      return image !== null && 'data' in image.source ? imageBlock(image) : textBlock(resourceText(part));
    }
    default:
      return textBlock(unavailable(labelOf(part)));
  }
}

/** Null for blank text: the API rejects it. */
export function textBlock(text: string): JsonObject | null {
  return text.trim() === '' ? null : { text: scrub(text) };
}

/** The API takes bytes only, of four formats. */
function imageBlock({ source, mimeType }: ImagePart): JsonObject | null {
  const format = /^image\/(png|jpe?g|gif|webp)$/.exec(mimeType)?.[1]?.replace('jpg', 'jpeg');
  if (format === undefined || !('data' in source)) return textBlock(unavailable(`image, ${mimeType}`));
  return { image: { format, source: { bytes: source.data } } };
}

function fileBlock({ name = 'file', mimeType, source }: FilePart): JsonObject | null {
  const fileText = textFile(name, mimeType, source);
  if (fileText !== null) return textBlock(fileText);
  if (mimeType !== 'application/pdf' || !('data' in source)) return textBlock(unavailable(`file ${name}, ${mimeType}`));
  return { document: { format: 'pdf', name: documentName(name), source: { bytes: source.data } } };
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
  const { text, images } = toResultContent(result, 'shown below');
  const content = [textBlock(text), ...images.map(imageBlock)].filter((block) => block !== null);
  return JSON.stringify({
    toolResult: { toolUseId: id, content, ...(result.isError ? { status: 'error' } : {}) },
  });
}

/** The images of a result, as JSON of blocks. */
export function resultImages(result: ToolResult): string[] {
  return toResultContent(result, 'shown below').images.map((image) => JSON.stringify(imageBlock(image)));
}
