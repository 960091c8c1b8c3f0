import { serverText } from '../i18n/server-text.ts';
import type { MediaType, UploadedFile, UserPart } from '@toolyard/protocol';
import { isMediaType, readTemplates } from '@toolyard/protocol';
import type { AttachmentKind, PreparedFile } from './attachments.ts';

/** Size limit of the server for one file, in bytes. */
const MAX_FILE_BYTES = 20 * 1024 * 1024;
/** No model reads more text than this; it would only cost tokens. */
const MAX_TEXT_BYTES = 1024 * 1024;
/** Files up to this size are sent inline; the maximum number of them still fits one request. */
const MAX_INLINE_BYTES = 32 * 1024;

/** Types that are attached as such, each with the kind of its part and its canonical name. */
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
  /** Converts an image that models do not read; null if the browser cannot read it either. */
  convertImage(file: Blob): Promise<Blob | null>;
};

/**
 * Turns a file into a part of a message: small files inline, larger ones uploaded first. A file of unknown type is
 * attached as text if it is text.
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
    return { ok: false, problem: 'unreadable', ...getDetail(thrown) };
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
    return { ok: false, problem: 'upload_failed', ...getDetail(thrown) };
  }
}

function getDetail(thrown: unknown): { detail?: string } {
  if (!(thrown instanceof Error)) return {};
  const templates = 'templates' in thrown ? readTemplates(thrown.templates) : undefined;
  return { detail: serverText(thrown.message, templates?.['message']).text };
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

/** True for UTF-8 without bytes that never occur in text. A character cut at the end is accepted. */
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
  // In chunks, because of the limit on function arguments.
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}
