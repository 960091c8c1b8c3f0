import { createHash } from 'node:crypto';
import type { Clock, IdSource, JsonValue, Principal } from '@toolyard/protocol';
import { canonicalJson } from '@toolyard/protocol';
import type { IdempotencyKey, SharedStorage } from '@toolyard/storage';
import { refusal } from '../problems.ts';
import type { AppContext } from '../types.ts';

const KEEP_MS = 24 * 3_600_000;

/** The id of what a request creates. `release` makes its key usable again, if nothing was created. */
export type RequestId = { id: string; release: () => Promise<void> };

type Services = { storage: Pick<SharedStorage, 'idempotencyKeys'>; clock: Clock; ids: IdSource };

/**
 * The same id for every request with the same header `Idempotency-Key` and body, for a day; without the header the id
 * that the client chose, or a new one.
 *
 * @throws ProblemAnswer 400 for an invalid key, 422 if it was used with another body
 */
export async function requestId(
  c: AppContext,
  principal: Principal,
  { body, chosen }: { body: JsonValue; chosen: string | undefined },
  { storage, clock, ids }: Services,
): Promise<RequestId> {
  const name = c.req.header('idempotency-key');
  const id = chosen ?? ids.next();
  if (name === undefined) return { id, release: () => Promise.resolve() };
  if (!/^[\x21-\x7e]{1,255}$/.test(name)) {
    throw refusal({
      code: 'bad_request',
      message: 'The header Idempotency-Key must have 1 to 255 printable ASCII characters without spaces.',
    });
  }
  const key: IdempotencyKey = { credential: getCredential(principal), name };
  const digest = createHash('sha256')
    .update(`${c.req.path}\n${canonicalJson(body)}`)
    .digest('base64url');
  const now = clock.now();
  const claim = { digest, runId: id, at: now, since: now - KEEP_MS };
  const claimed = await storage.idempotencyKeys.claim(principal, key, claim);
  if (claimed.digest !== digest) {
    throw refusal(
      {
        code: 'bad_request',
        message: 'This Idempotency-Key was used for a request with another body.',
        hint: 'Use a new key for each request, and the same key only to repeat one.',
      },
      { status: 422 },
    );
  }
  return {
    id: claimed.runId,
    release: () => storage.idempotencyKeys.release(principal, key, claimed.runId),
  };
}

/** The access token is one credential; each API key is one; sessions of a user share theirs. */
function getCredential({ via, credentialId }: Principal): string {
  return via === 'api_key' ? `key:${credentialId ?? ''}` : 'user';
}
