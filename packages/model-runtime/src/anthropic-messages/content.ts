import type { JsonObject } from '@toolyard/protocol';
import { scrub } from '../scrub.ts';
import { COMMON_IMAGES, isAccepted, type ContentFormat, type SentMedia } from '../wire/content.ts';

/** The blocks of the API. */
export const content: ContentFormat<JsonObject | null> = {
  text: (text) => (text.trim() === '' ? null : { type: 'text', text: scrub(text) }),
  image: (media) => (isAccepted(media, COMMON_IMAGES) ? { type: 'image', source: toSource(media) } : null),
  audio: () => null,
  file: (media, mimeType, name) =>
    mimeType === 'application/pdf' ? { type: 'document', title: scrub(name), source: toSource(media) } : null,
};

function toSource(media: SentMedia): JsonObject {
  if ('url' in media) return { type: 'url', url: media.url };
  return { type: 'base64', media_type: media.mimeType, data: media.data };
}
