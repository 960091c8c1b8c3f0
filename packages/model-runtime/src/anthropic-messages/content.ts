import type { JsonObject } from '@toolyard/protocol';
import { scrub } from '../scrub.ts';
import { COMMON_IMAGES, isOneOf, type ContentFormat, type SentMedia } from '../wire/content.ts';

/** The blocks of the API. */
export const content: ContentFormat<JsonObject | null> = {
  text: (text) => (text.trim() === '' ? null : { type: 'text', text: scrub(text) }),
  image: (media) => (isOneOf(media, COMMON_IMAGES) ? { type: 'image', source: sourceOf(media) } : null),
  audio: () => null,
  file: (media, mimeType, name) =>
    mimeType === 'application/pdf' ? { type: 'document', title: scrub(name), source: sourceOf(media) } : null,
};

function sourceOf(media: SentMedia): JsonObject {
  if ('url' in media) return { type: 'url', url: media.url };
  return { type: 'base64', media_type: media.mimeType, data: media.data };
}
