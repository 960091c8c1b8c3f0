import type { JsonValue } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';
import type { ServerIcon } from '../types.ts';
import { readUrl } from '../values/read-url.ts';

const MOST_ICONS = 8;
/** An icon that comes along as data; anything longer is no icon. In characters. */
const LONGEST_DATA = 256 * 1_024;

/** Icons a page may show: from https addresses, or images that came along. Whatever else is listed is left out. */
export function readIcons(raw: JsonValue | undefined): ServerIcon[] | undefined {
  if (!Array.isArray(raw)) return undefined;
  const icons = raw.slice(0, MOST_ICONS).flatMap((entry): ServerIcon[] => {
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
  if (/^data:image\//i.test(src)) return src.length <= LONGEST_DATA;
  return readUrl(src)?.protocol === 'https:';
}
