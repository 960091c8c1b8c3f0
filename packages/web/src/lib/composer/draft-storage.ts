import type { JsonValue, UserPart } from '@toolyard/protocol';
import { isJsonObject, isMediaType } from '@toolyard/protocol';
import { browserValueFamily, type BrowserValueFamily } from '../browser-storage.ts';
import type { Attachment, AttachmentKind } from './attachments.ts';

/** A file of a draft as it survives a reload: whole, or by the id of its uploaded blob. */
type KeptFile = { name: string; size: number; kind: AttachmentKind; part: JsonValue };

/**
 * Storage of drafts that survive a reload. Text and files are separate, so that a keystroke does not write the files
 * again.
 */
export type DraftStorage = { text: BrowserValueFamily<string>; files: BrowserValueFamily<JsonValue[]> };

export function openDraftStorage(): DraftStorage {
  return {
    text: browserValueFamily('drafts', {
      version: 1,
      read: (value) => (typeof value === 'string' ? value : undefined),
      fallback: '',
      keep: 100,
    }),
    files: browserValueFamily('draft-files', {
      version: 1,
      read: (value) => (Array.isArray(value) ? value : undefined),
      fallback: [],
      keep: 10,
    }),
  };
}

/** Files still being read are not stored: only the browser has them. */
export function toStoredAttachments(attachments: readonly Attachment[]): JsonValue[] {
  const stored: KeptFile[] = [];
  for (const attachment of attachments) {
    if (attachment.state !== 'ready') continue;
    const { name, size, kind, part } = attachment;
    stored.push({ name, size, kind, part: JSON.parse(JSON.stringify(part)) as JsonValue });
  }
  return stored;
}

/** Entries of another version of the page are ignored. */
export function fromStoredAttachments(stored: readonly JsonValue[], nextId: () => string): Attachment[] {
  const attachments: Attachment[] = [];
  for (const value of stored) {
    if (!isJsonObject(value)) continue;
    const { name, size, kind, part } = value;
    if (typeof name !== 'string' || typeof size !== 'number' || !isKind(kind) || !isMediaPart(part)) continue;
    attachments.push({ id: nextId(), name, size, state: 'ready', kind, part: part as UserPart });
  }
  return attachments;
}

function isKind(value: JsonValue | undefined): value is AttachmentKind {
  return isMediaType(value) || value === 'document' || value === 'text';
}

function isMediaPart(value: JsonValue | undefined): boolean {
  if (!isJsonObject(value)) return false;
  const { type, mimeType, source } = value;
  if (!isMediaType(type) && type !== 'file') return false;
  if (typeof mimeType !== 'string' || !isJsonObject(source)) return false;
  return typeof source['data'] === 'string' || typeof source['blob'] === 'string';
}
