import { sessionFetch } from '../../api/session-fetch.ts';
import { decodeBase64 } from './content-view.ts';
import type { MediaContent } from './media-content.ts';

/** Downloads a blob under a file name. */
export function saveFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser reads the blob after the click.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** The bytes of stored media; null if they cannot be loaded. */
export async function mediaBlob({ mimeType, source }: MediaContent): Promise<Blob | null> {
  if ('data' in source) {
    const bytes = decodeBase64(source.data);
    return bytes === null ? null : new Blob([bytes], { type: mimeType });
  }
  try {
    const response = await sessionFetch(`/api/files/${encodeURIComponent(source.blob)}`);
    return response.ok ? await response.blob() : null;
  } catch {
    return null;
  }
}
