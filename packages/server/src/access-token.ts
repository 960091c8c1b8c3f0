import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createConfigError } from './errors.ts';
import { readPrivate, writePrivate } from './secrets/private-file.ts';

/** File in the data folder that contains the access token of this server. */
export const TOKEN_FILE = 'access-token';

/** Minimum length; shorter tokens can be guessed. */
const SHORTEST_TOKEN = 16;

/**
 * The access token of a data folder, created on first start. The file has mode 0600.
 *
 * @throws ToolyardError `bad_config` if the file cannot be read or written, or contains no usable token.
 */
export function ownToken(dataDir: string, log: (line: string) => void): string {
  const file = join(dataDir, TOKEN_FILE);
  const stored = readPrivate(file, log);
  if (stored === null) {
    const token = randomBytes(32).toString('base64url');
    writePrivate(file, token);
    return token;
  }
  const fault = faultOfToken(stored);
  if (fault !== null)
    throw createConfigError(`${file}: ${fault}`, 'Delete the file: the next start creates a new token.');
  return stored;
}

/** Describes what is wrong with a token, without repeating it; null if it is valid. */
export function faultOfToken(token: string): string | null {
  if (!/^[\x21-\x7e]*$/.test(token)) return 'The access token has characters that an HTTP header cannot contain.';
  if (token.length >= SHORTEST_TOKEN) return null;
  const length = token.length === 1 ? '1 character' : `${token.length} characters`;
  return `The access token has ${length}; the minimum is ${SHORTEST_TOKEN}.`;
}
