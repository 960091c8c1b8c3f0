import { saveFile } from '../chat/tools/save-file.ts';
import { request } from './client.ts';

/**
 * Downloads a file under the name in the response. A plain link cannot: it would send the cookie without the session
 * header.
 *
 * @throws ApiError
 */
export async function saveFrom(path: string, name: string): Promise<void> {
  const { disposition, content } = await request(path, {}, async (response) => ({
    disposition: response.headers.get('content-disposition'),
    content: await response.blob(),
  }));
  saveFile(nameIn(disposition) ?? name, content);
}

/** The file name in a Content-Disposition header (RFC 6266); null without one. */
function nameIn(disposition: string | null): string | null {
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition ?? '')?.[1];
  if (encoded !== undefined) return decodeURIComponent(encoded);
  return /filename="([^"]+)"/i.exec(disposition ?? '')?.[1] ?? null;
}
