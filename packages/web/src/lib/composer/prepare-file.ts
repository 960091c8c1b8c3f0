import type { MediaType, UploadedFile, UserPart } from '@toolyard/protocol';
import { isMediaType } from '@toolyard/protocol';
import type { AttachmentKind, PreparedFile } from './attachments.ts';

/** What the server takes as one file. */
const MAX_FILE_BYTES = 20 * 1024 * 1024;
/** More text than this no model reads; it would only be paid for. */
const MAX_TEXT_BYTES = 1024 * 1024;
/** Up to here a file travels inside the message; so many of them still fit one request. */
const MAX_INLINE_BYTES = 32 * 1024;

/** The types that are attached as what they are, each with the kind of its part and the usual name of the type. */
const MEDIA_TYPES: ReadonlyMap<string, [kind: MediaType, mimeType: string]> = new Map([
  ['image/png', ['image', 'image/png']],
  ['image/jpeg', ['image', 'image/jpeg']],
  ['image/webp', ['image', 'image/webp']],
  ['image/gif', ['image', 'image/gif']],
  ['audio/wav', ['audio', 'audio/wav']],
  ['audio/x-wav', ['audio', 'audio/wav']],
  ['audio/wave', ['audio', 'audio/wav']],
  ['audio/mpeg', ['audio', 'audio/mpeg']],
  ['audio/mp3', ['audio', 'audio/mpeg']],
]);

export type PrepareFileDeps = {
  upload(file: Blob): Promise<UploadedFile>;
  /** Turns an image the models do not read into one they do; null where the browser cannot read it either. */
  convertImage(file: Blob): Promise<Blob | null>;
};

/**
 * Makes a file into a part of a message: small ones travel inside it, larger ones are uploaded first. A file of
 * unknown type is taken as text if it is text.
 */
export async function prepareFile(file: File, deps: PrepareFileDeps): Promise<PreparedFile> {
  if (file.size === 0) return { ok: false, problem: 'empty' };
  if (file.size > MAX_FILE_BYTES) return { ok: false, problem: 'too_large' };
  const type = file.type.toLowerCase().split(';')[0] ?? '';
  const media = MEDIA_TYPES.get(type);
  try {
    if (media !== undefined) return await store(file, media[1], media[0], file.name, deps);
    if (type === 'application/pdf') return await store(file, type, 'document', file.name, deps);
    if (type.startsWith('image/') && type !== 'image/svg+xml') return await storeConverted(file, deps);
    return await storeText(file, type, deps);
  } catch (thrown) {
    return { ok: false, problem: 'unreadable', ...(thrown instanceof Error ? { detail: thrown.message } : {}) };
  }
}

async function storeConverted(file: File, deps: PrepareFileDeps): Promise<PreparedFile> {
  const converted = await deps.convertImage(file);
  if (converted === null) return { ok: false, problem: 'unsupported' };
  if (converted.size > MAX_FILE_BYTES) return { ok: false, problem: 'too_large' };
  return store(converted, converted.type, 'image', file.name, deps);
}

async function storeText(file: File, type: string, deps: PrepareFileDeps): Promise<PreparedFile> {
  if (!isText(new Uint8Array(await file.slice(0, 64 * 1024).arrayBuffer()))) {
    return { ok: false, problem: 'unsupported' };
  }
  if (file.size > MAX_TEXT_BYTES) return { ok: false, problem: 'text_too_large' };
  return store(file, type.startsWith('text/') ? type : 'text/plain', 'text', file.name, deps);
}

async function store(
  content: Blob,
  mimeType: string,
  kind: AttachmentKind,
  name: string,
  deps: PrepareFileDeps,
): Promise<PreparedFile> {
  if (content.size <= MAX_INLINE_BYTES) {
    const data = toBase64(new Uint8Array(await content.arrayBuffer()));
    return { ok: true, kind, part: toPart(kind, mimeType, name, { data }) };
  }
  try {
    const typed = content.type === mimeType ? content : new Blob([content], { type: mimeType });
    const { sha256 } = await deps.upload(typed);
    return { ok: true, kind, part: toPart(kind, mimeType, name, { blob: sha256 }) };
  } catch (thrown) {
    return { ok: false, problem: 'upload_failed', ...(thrown instanceof Error ? { detail: thrown.message } : {}) };
  }
}

function toPart(
  kind: AttachmentKind,
  mimeType: string,
  name: string,
  source: { data: string } | { blob: string },
): UserPart {
  if (isMediaType(kind)) return { type: kind, mimeType, name, source };
  return { type: 'file', mimeType, name, source };
}

/** True for UTF-8 without the bytes that text never holds. A character cut off at the end is no fault. */
export function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

function toBase64(bytes: Uint8Array): string {
  let binary = '';
  // As many at a time as a call takes arguments.
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}
