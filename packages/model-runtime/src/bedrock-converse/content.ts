import type { JsonObject } from '@toolyard/protocol';
import { scrub } from '../scrub.ts';
import { COMMON_IMAGES, type ContentFormat } from '../wire/content.ts';

/** The API takes bytes only. */
export const content: ContentFormat<JsonObject | null> = {
  text: (text) => (text.trim() === '' ? null : { text: scrub(text) }),
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

/** The API accepts a document only beside text. */
export function withText(blocks: readonly JsonObject[]): readonly JsonObject[] {
  const needsText = blocks.some((block) => 'document' in block) && !blocks.some((block) => 'text' in block);
  return needsText ? [...blocks, { text: '(see the document)' }] : blocks;
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
    if (left >= 0)
      return JSON.stringify({ text: scrub(`[file ${own}: only the last ${MAX_DOCUMENTS} files are sent]`) });
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
