import type { UserPart } from '@toolyard/protocol';
import { CONTENT_PARTS, isMediaPart, showHidden } from '@toolyard/protocol';
import { tokensOfText } from '@toolyard/agent-runtime';
import type { Attachment } from '../composer/attachments.ts';
import type { TranscriptRow } from '../transcript/rows.ts';

export type ContextItem = {
  key: string;
  name: string;
  /** Estimated; null if unknown. */
  tokens: number | null;
  /** The attachment of the draft that can be removed. */
  attachmentId?: string;
};

/** Estimated tokens of media, whatever its size: as the agent loop assumes. */
const MEDIA_TOKENS = 1_000;

/** Attachments of the message being written. */
export function draftItems(attachments: readonly Attachment[]): ContextItem[] {
  return attachments.map((attachment) => ({
    key: attachment.id,
    name: showHidden(attachment.name),
    tokens: attachment.state === 'ready' ? tokensOfParts(attachment.parts) : null,
    attachmentId: attachment.id,
  }));
}

/** Resources, prompts and files of the messages that were sent. */
export function sentItems(rows: Iterable<TranscriptRow>): ContextItem[] {
  const items: ContextItem[] = [];
  for (const row of rows) {
    if (row.kind !== 'user') continue;
    for (const [at, part] of row.message.parts.entries()) {
      if (part.type === 'text') continue;
      items.push({ key: `${row.key} ${String(at)}`, name: showHidden(getName(part)), tokens: tokensOfParts([part]) });
    }
  }
  return items;
}

function getName(part: UserPart): string {
  if ('title' in part && part.title !== undefined) return part.title;
  if ('name' in part && part.name !== undefined) return part.name;
  return part.type === 'resource' ? part.uri : part.type;
}

function tokensOfParts(parts: readonly UserPart[]): number | null {
  let sum = 0;
  for (const part of parts) {
    const tokens = tokensOfPart(part);
    if (tokens === null) return null;
    sum += tokens;
  }
  return sum;
}

/** Null for an uploaded text or document, whose length only the server knows. */
function tokensOfPart(part: UserPart): number | null {
  if (part.type === 'text') return tokensOfText(part.text);
  if (part.type === 'prompt') return tokensOfParts(part.messages.map(({ content }) => content));
  if (isMediaPart(part)) return MEDIA_TOKENS;
  if (part.type === 'resource' && part.text !== undefined) return tokensOfText(part.text);
  const { source, mimeType = '' } = part;
  if (source === undefined) return tokensOfText(CONTENT_PARTS.resource.label({ type: 'resource', uri: getName(part) }));
  if (/^(image|audio)\//.test(mimeType)) return MEDIA_TOKENS;
  return 'data' in source && part.type === 'file' && mimeType.startsWith('text/')
    ? Math.ceil((source.data.length * 3) / 16)
    : null;
}
