import type { JsonValue } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';
import type { ServerIcon } from '../types.ts';
import { readUrl } from '../values/read-url.ts';

const MAX_ICONS = 8;
/** Longest `data:` URL of an icon, in characters; longer ones are ignored. */
const MAX_DATA_LENGTH = 256 * 1_024;

/** Icons a page may show: https or `data:` URLs of images. All others are left out. */
export function readIcons(raw: JsonValue | undefined): ServerIcon[] | undefined {
  if (!Array.isArray(raw)) return undefined;
  const icons = raw.slice(0, MAX_ICONS).flatMap((entry): ServerIcon[] => {
    if (!isJsonObject(entry)) return [];
    const { src, mimeType, sizes, theme } = entry;
    if (typeof src !== 'string' || !isShowable(src)) return [];
    return [
      {
        src,
        ...(typeof mimeType === 'string' ? { mimeType } : {}),
        ...(Array.isArray(sizes) ? { sizes: sizes.filter((size) => typeof size === 'string') } : {}),
        ...(theme === 'light' || theme === 'dark' ? { theme } : {}),
      },
    ];
  });
  return icons.length === 0 ? undefined : icons;
}

function isShowable(src: string): boolean {
  if (/^data:image\//i.test(src)) return src.length <= MAX_DATA_LENGTH;
  return readUrl(src)?.protocol === 'https:';
}
