import { createHmac } from 'node:crypto';
import type { Clock, Owner } from '@toolyard/protocol';
import { isSameSecret } from './credentials.ts';

/** A URL is valid for 30 to 60 minutes: within a step the URL is the same, so that browsers can cache the file. */
const STEP_MS = 30 * 60_000;

export type SignedQuery = { owner: string; expires: string; signature: string };

/**
 * Signed URLs of files, for elements such as `<img>` that cannot send headers. Each is valid for one file of one owner.
 *
 * @param keys signing keys of this installation: the first signs, the others verify older URLs
 */
export function createSignedUrls(keys: () => Promise<readonly [string, ...string[]]>, clock: Pick<Clock, 'now'>) {
  const sign = (key: string, { ownerId }: Owner, sha256: string, expires: string): string =>
    createHmac('sha256', key)
      .update(JSON.stringify([ownerId, sha256, expires]))
      .digest('base64url');

  return {
    async create(owner: Owner, files: readonly string[]): Promise<{ urls: Record<string, string>; expiresAt: number }> {
      const [key] = await keys();
      const expiresAt = (Math.floor(clock.now() / STEP_MS) + 2) * STEP_MS;
      const expires = String(expiresAt);
      const urls: Record<string, string> = {};
      for (const sha256 of files) {
        const query = new URLSearchParams({
          owner: owner.ownerId,
          expires,
          signature: sign(key, owner, sha256, expires),
        });
        urls[sha256] = `/api/files/${encodeURIComponent(sha256)}?${query.toString()}`;
      }
      return { urls, expiresAt };
    },
    /** The owner of the file; null if the signature is invalid or has expired. */
    async check(sha256: string, { owner, expires, signature }: SignedQuery): Promise<Owner | null> {
      if (!(Number(expires) > clock.now())) return null;
      const found = { ownerId: owner };
      const valid = (await keys()).some((key) => isSameSecret(sign(key, found, sha256, expires), signature));
      return valid ? found : null;
    },
  };
}

export type SignedUrls = ReturnType<typeof createSignedUrls>;
