import { readUrl } from '../values/read-url.ts';

/**
 * Why a user must not be asked to open a URL; null if they may: only URLs that a user can judge and a browser opens.
 * Attack 2 is a `javascript:` URL.
 *
 * @example
 * faultOfUrlToOpen('https://example.com/sign-in'); // null
 * if (faultOfUrlToOpen('javascript:alert(1)') !== null) console.log('is not shown');
 */
export function faultOfUrlToOpen(text: unknown): string | null {
  const url = typeof text === 'string' ? readUrl(text) : null;
  const isLocal = url !== null && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url?.protocol !== 'https:' && !(url?.protocol === 'http:' && isLocal)) {
    return 'The URL to open must use https.';
  }
  // A user name before the @ can look like the host of the page.
  if (url.username !== '' || url.password !== '') return 'The URL to open must not contain a user name.';
  return null;
}
