import type { AgentReference, DraftAttachment, JsonObject, JsonValue, SaveDraft, UserPart } from '@toolyard/protocol';
import { defined, isJsonObject, isMediaType } from '@toolyard/protocol';
import { browserValueFamily, type BrowserValueFamily } from '../browser-storage.ts';
import type { Attachment, AttachmentKind, AttachmentOrigin } from './attachments.ts';

/**
 * Storage of drafts that survive a reload, also without the server. Text and files are separate, so that a keystroke does
 * not write the files again.
 */
export type DraftStorage = {
  text: BrowserValueFamily<string>;
  files: BrowserValueFamily<JsonValue[]>;
  choices: BrowserValueFamily<JsonObject>;
};

/** What belongs to a draft besides its text and attachments. */
export type DraftChoices = Pick<SaveDraft, 'mention' | 'removed'>;

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
    choices: browserValueFamily('draft-choices', {
      version: 1,
      read: (value) => (isJsonObject(value) ? value : undefined),
      fallback: {},
      keep: 100,
    }),
  };
}

/**
 * Files still being read are not stored: only the browser has them. A resource that is not loaded is stored by its
 * address.
 */
export function toStoredAttachments(attachments: readonly Attachment[]): DraftAttachment[] {
  return attachments.flatMap((attachment) => {
    const { id, name, size, origin } = attachment;
    if (attachment.state !== 'ready' && origin?.uri === undefined) return [];
    const parts = attachment.state === 'ready' ? attachment.parts : [];
    return [JSON.parse(JSON.stringify({ id, name, size, parts, origin })) as DraftAttachment];
  });
}

/** Entries of another version of the page are ignored. */
export function fromStoredAttachments(stored: readonly JsonValue[], nextId: () => string): Attachment[] {
  return stored.flatMap((value): Attachment[] => {
    if (!isJsonObject(value) || typeof value['name'] !== 'string') return [];
    const { name, size, origin: from } = value;
    // Before resources could be attached, a file had one part.
    const parts = Array.isArray(value['parts']) ? value['parts'] : [value['part'] ?? null];
    const origin = isOrigin(from) ? from : undefined;
    const base = { id: nextId(), name, ...defined({ origin, size: typeof size === 'number' ? size : undefined }) };
    if (parts.length === 0) return origin?.uri === undefined ? [] : [{ ...base, state: 'reading' }];
    if (!parts.every(isAttachedPart)) return [];
    const known = parts as unknown as UserPart[];
    return [{ ...base, state: 'ready', kind: getKind(known, origin), parts: known }];
  });
}

/** What another version of the page stored is ignored. */
export function readChoices({ mention, removed }: JsonObject): DraftChoices {
  return defined({
    mention: isAgent(mention) ? mention : undefined,
    removed: Array.isArray(removed) ? removed.filter(isAddress) : undefined,
  });
}

function isAgent(value: JsonValue | undefined): value is AgentReference {
  return isJsonObject(value) && typeof value['id'] === 'string' && typeof value['title'] === 'string';
}

function isAddress(value: JsonValue): value is { serverId: string; uri: string } {
  return isJsonObject(value) && typeof value['serverId'] === 'string' && typeof value['uri'] === 'string';
}

function getKind(parts: readonly UserPart[], origin: AttachmentOrigin | undefined): AttachmentKind {
  if (origin !== undefined) return origin.uri === undefined ? 'prompt' : 'resource';
  const [part] = parts;
  if (part === undefined || !('mimeType' in part)) return 'text';
  if (isMediaType(part.type)) return part.type;
  return part.mimeType === 'application/pdf' ? 'document' : 'text';
}

function isOrigin(value: JsonValue | undefined): value is AttachmentOrigin {
  if (!isJsonObject(value)) return false;
  return (value['place'] === 'server' || value['place'] === 'tab') && typeof value['serverId'] === 'string';
}

function isAttachedPart(value: JsonValue): boolean {
  if (!isJsonObject(value)) return false;
  const { type, mimeType, source } = value;
  if (type === 'resource') return typeof value['uri'] === 'string';
  if (type === 'prompt') return Array.isArray(value['messages']);
  if (!isMediaType(type) && type !== 'file') return false;
  if (typeof mimeType !== 'string' || !isJsonObject(source)) return false;
  return typeof source['data'] === 'string' || typeof source['blob'] === 'string';
}
