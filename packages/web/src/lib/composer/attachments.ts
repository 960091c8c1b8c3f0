import type { DraftAttachment, MediaType, UserPart } from '@toolyard/protocol';

export const MAX_ATTACHMENTS = 20;

export type AttachmentKind = MediaType | 'document' | 'text' | 'resource' | 'prompt';
export type AttachmentProblem =
  | 'too_large'
  | 'text_too_large'
  | 'unsupported'
  | 'empty'
  | 'unreadable'
  | 'upload_failed'
  | 'too_many'
  /** A resource or prompt; `detail` says why. */
  | 'not_loaded';

/** Where a resource or prompt comes from. */
export type AttachmentOrigin = NonNullable<DraftAttachment['origin']>;

export type Attachment = { id: string; name: string; size?: number; origin?: AttachmentOrigin } & (
  | { state: 'reading' }
  /** `note`: why a newer version could not be read. */
  | { state: 'ready'; kind: AttachmentKind; parts: UserPart[]; note?: string }
  | { state: 'failed'; problem: AttachmentProblem; detail?: string }
);

/** The result for a file: a part of a message, or an error. */
export type PreparedFile =
  | { ok: true; kind: AttachmentKind; part: UserPart }
  | { ok: false; problem: AttachmentProblem; detail?: string };

/** The parts to send: the text first, then the attachments in order. */
export function toUserParts(text: string, attachments: readonly Attachment[]): UserPart[] {
  const parts: UserPart[] = text.trim() === '' ? [] : [{ type: 'text', text }];
  for (const attachment of attachments) if (attachment.state === 'ready') parts.push(...attachment.parts);
  return parts;
}

/** `12 kB`, `3.4 MB`, in the user's number format. */
export function formatBytes(size: number, locale: string): string {
  const [value, unit] = size < 1000 ? [size, 'B'] : size < 1_000_000 ? [size / 1000, 'kB'] : [size / 1_000_000, 'MB'];
  const digits = unit === 'MB' && value < 10 ? 1 : 0;
  return `${new Intl.NumberFormat(locale, { maximumFractionDigits: digits }).format(value)} ${unit}`;
}
