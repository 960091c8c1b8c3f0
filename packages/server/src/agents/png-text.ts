import type { ToolyardError } from '@toolyard/protocol';
import { say } from '@toolyard/protocol';
import { crc32 } from 'node:zlib';
import { createInvalidError } from '../errors.ts';

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** Length, type and checksum of a chunk. */
const FRAME_BYTES = 12;
const MAX_KEYWORD = 79;

export function isPng(bytes: Uint8Array): boolean {
  return SIGNATURE.every((byte, at) => bytes[at] === byte);
}

/**
 * The uncompressed texts of a PNG image by keyword (`tEXt`, and `iTXt` without compression). Reads each byte once and
 * decodes no image data. Source: PNG specification, third edition, sections 5 and 11.3.3.
 *
 * @throws ToolyardError with the position of an invalid chunk
 */
export function readPngTexts(bytes: Uint8Array): Map<string, string> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const texts = new Map<string, string>();
  for (let at = SIGNATURE.length; at < bytes.byteLength;) {
    if (at + FRAME_BYTES > bytes.byteLength) throw createCutOffError(at);
    const length = view.getUint32(at);
    const type = latin1(bytes.subarray(at + 4, at + 8));
    if (!/^[A-Za-z]{4}$/.test(type)) throw createInvalidError(say`Invalid PNG: no chunk begins at byte ${at}.`);
    const end = at + FRAME_BYTES + length;
    if (end > bytes.byteLength) throw createCutOffError(at);
    if (type === 'tEXt' || type === 'iTXt') {
      const checked = bytes.subarray(at + 4, end - 4);
      if (crc32(checked) !== view.getUint32(end - 4)) {
        throw createInvalidError(say`Invalid PNG: the checksum of the chunk ${type} at byte ${at} is wrong.`);
      }
      const text = readText(type, checked.subarray(4));
      if (text && !texts.has(text.keyword)) texts.set(text.keyword, text.text);
    }
    if (type === 'IEND') break;
    at = end;
  }
  return texts;
}

function readText(type: 'tEXt' | 'iTXt', data: Uint8Array): { keyword: string; text: string } | null {
  const end = data.subarray(0, MAX_KEYWORD + 1).indexOf(0);
  if (end < 1) return null;
  const keyword = latin1(data.subarray(0, end));
  if (type === 'tEXt') return { keyword, text: latin1(data.subarray(end + 1)) };
  const isCompressed = data[end + 1] !== 0;
  const language = data.indexOf(0, end + 3);
  const translated = language < 0 ? -1 : data.indexOf(0, language + 1);
  if (isCompressed || translated < 0) return null;
  return { keyword, text: new TextDecoder().decode(data.subarray(translated + 1)) };
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

function createCutOffError(at: number): ToolyardError {
  return createInvalidError(
    say`Invalid PNG: the file ends within the chunk at byte ${at}.`,
    say`Download the file again.`,
  );
}
