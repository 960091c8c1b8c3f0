import { createHmac } from 'node:crypto';
import type { Clock, Owner } from '@toolyard/protocol';
import { isSameSecret } from './credentials.ts';

/** A URL is valid for half an hour to an hour: the same one is given out for a while, so that browsers can cache. */
const STEP_MS = 30 * 60_000;

export type SignedQuery = { owner: string; expires: string; signature: string };

/**
 * URLs of files that need no credential: an `<img>` can send no header. Each is for one file of one owner.
 *
 * @param keys of this installation, the first to sign with; the others were in use before
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
    /** The owner whose file it is; null for a signature that is not valid, or no longer. */
    async check(sha256: string, { owner, expires, signature }: SignedQuery): Promise<Owner | null> {
      if (!(Number(expires) > clock.now())) return null;
      const found = { ownerId: owner };
      const valid = (await keys()).some((key) => isSameSecret(sign(key, found, sha256, expires), signature));
      return valid ? found : null;
    },
  };
}

export type SignedUrls = ReturnType<typeof createSignedUrls>;
