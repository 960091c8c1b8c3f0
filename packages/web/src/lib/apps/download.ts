import type { JsonValue } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';
import { decodeBase64 } from '../chat/tools/content-view.ts';
import { safeFileName } from '../chat/tools/file-name.ts';

export type AppFile = { name: string; content: Blob };

/** The files of `ui/download-file`. Links are not followed: the page would request them for the app. */
export function readFiles(contents: readonly JsonValue[]): AppFile[] {
  return contents.flatMap((item): AppFile[] => {
    const resource = isJsonObject(item) && isJsonObject(item['resource']) ? item['resource'] : null;
    if (resource === null) return [];
    const { uri, mimeType, text, blob } = resource;
    // Saved, never opened: a type that a browser would execute makes no difference.
    const type = typeof mimeType === 'string' ? mimeType : 'application/octet-stream';
    const data = typeof text === 'string' ? text : typeof blob === 'string' ? decodeBase64(blob) : null;
    if (data === null) return [];
    return [{ name: fileName(typeof uri === 'string' ? uri : ''), content: new Blob([data], { type }) }];
  });
}

function fileName(uri: string): string {
  const name = safeFileName(uri.split(/[?#]/)[0] ?? '');
  return name === '' ? 'download' : name;
}
