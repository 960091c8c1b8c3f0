import { createDatabaseError } from './errors.ts';

/** The name of a database for messages: never the password. */
export type DatabaseAddress = { url: string; where: string };

/** @throws StorageError `bad_url`, which does not repeat the URL, since it may contain a password. */
export function readAddress(url: string): DatabaseAddress {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    throw createDatabaseError(
      'bad_url',
      '',
      'it is not a URL (escape characters like @ or / in a password as %40, %2F)',
    );
  }
  if (parsed.protocol !== 'postgres:' && parsed.protocol !== 'postgresql:') {
    throw createDatabaseError('bad_url', '', `it begins with ${parsed.protocol}`);
  }
  const name = unescaped(parsed.pathname.slice(1));
  if (name === '') throw createDatabaseError('bad_url', '', 'it names no database');
  const host = parsed.searchParams.get('host') ?? (parsed.hostname === '' ? 'localhost' : parsed.hostname);
  return { url, where: `"${name}" at ${host}${parsed.port === '' ? '' : `:${parsed.port}`}` };
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw createDatabaseError('bad_url', '', 'it contains a % that is not a valid escape');
  }
}
