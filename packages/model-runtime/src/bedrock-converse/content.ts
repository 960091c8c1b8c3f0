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

/** Largest number of documents in a request. */
const MAX_DOCUMENTS = 5;

const DOCUMENT = /^\{"document":\{"format":"pdf","name":"([^"]*)"/;

/**
 * The blocks of all turns of a request with documents that the API accepts together: the last five, each with a name of
 * its own, even if a file is attached twice.
 */
export function withDistinctDocuments<Turn extends { blocks: readonly string[] }>(turns: readonly Turn[]): Turn[] {
  const names = turns.flatMap(({ blocks }) => blocks.flatMap((block) => DOCUMENT.exec(block)?.[1] ?? []));
  if (names.length < 2) return [...turns];
  const used = new Set<string>();
  let left = names.length - MAX_DOCUMENTS;
  const written = (block: string): string => {
    const own = DOCUMENT.exec(block)?.[1];
    if (own === undefined) return block;
    left -= 1;
    if (left >= 0) return JSON.stringify(textBlock(`[file ${own}: only the last ${MAX_DOCUMENTS} files are sent]`));
    let name = own;
    for (let count = 2; used.has(name.toLowerCase()); count += 1) name = `${own} (${count})`;
    used.add(name.toLowerCase());
    return block.replace(DOCUMENT, (head) => head.replace(`"name":"${own}"`, () => `"name":"${name}"`));
  };
  return turns.map((turn) => ({ ...turn, blocks: turn.blocks.map(written) }));
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
