import { saveFile } from '../chat/tools/save-file.ts';
import { t } from '../i18n/i18n.svelte.ts';
import { ApiError } from './client.ts';
import { problemFrom } from './error.ts';
import { sessionFetch } from './session-fetch.ts';

/**
 * Saves what the server answers, under the name it gives. A plain link cannot: it sends no header with the cookie.
 *
 * @throws ApiError
 */
export async function saveFrom(path: string, name: string): Promise<void> {
  let response: Response;
  try {
    response = await sessionFetch(path);
  } catch {
    throw new ApiError({ code: 'network', status: 0, detail: t('errors.network'), hint: t('errors.networkHint') });
  }
  if (!response.ok) {
    const unreadable = t('errors.unreadable', { status: String(response.status) });
    throw problemFrom(response.status, await response.text(), { unreadable });
  }
  saveFile(nameIn(response.headers.get('content-disposition')) ?? name, await response.blob());
}

/** The name in a Content-Disposition (RFC 6266); null if it has none. */
function nameIn(disposition: string | null): string | null {
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition ?? '')?.[1];
  if (encoded !== undefined) return decodeURIComponent(encoded);
  return /filename="([^"]+)"/i.exec(disposition ?? '')?.[1] ?? null;
}
