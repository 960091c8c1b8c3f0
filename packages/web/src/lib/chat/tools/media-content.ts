import type { ImagePart, MediaSource, ToolResult } from '@toolyard/protocol';

/** Media this server can provide: inline in the message, or in its blob store. */
export type MediaContent = { mimeType: string; source: Exclude<MediaSource, { url: string }> };

/**
 * Types that every browser shows without executing anything; the server serves these inline and others as attachments.
 */
const SHOWN: ReadonlyMap<string, 'image' | 'audio' | 'video'> = new Map([
  ['image/png', 'image'],
  ['image/jpeg', 'image'],
  ['image/gif', 'image'],
  ['image/webp', 'image'],
  ['image/avif', 'image'],
  ['audio/mpeg', 'audio'],
  ['audio/mp4', 'audio'],
  ['audio/aac', 'audio'],
  ['audio/ogg', 'audio'],
  ['audio/wav', 'audio'],
  ['audio/wave', 'audio'],
  ['audio/x-wav', 'audio'],
  ['audio/webm', 'audio'],
  ['audio/flac', 'audio'],
  ['video/mp4', 'video'],
  ['video/webm', 'video'],
  ['video/ogg', 'video'],
]);

/** How media of a type are shown; undefined for types that can only be downloaded. */
export function mediaKind(mimeType: string): 'image' | 'audio' | 'video' | undefined {
  return SHOWN.get(plainType(mimeType));
}

/** Without parameters, such as those of `audio/ogg; codecs=opus`. */
export function plainType(mimeType: string): string {
  return mimeType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** The images of a result that this server has. */
export function listImages(result: ToolResult): ImagePart[] {
  return result.content.flatMap((part): ImagePart[] => {
    if (part.type === 'text' || part.source === undefined || 'url' in part.source) return [];
    const { mimeType = '', source } = part;
    return mediaKind(mimeType) === 'image' ? [{ type: 'image', mimeType: plainType(mimeType), source }] : [];
  });
}
