import { createAuthentication } from './authentication.ts';
import type { Authentication } from './authentication.ts';
import { createFailureLimit } from './failure-limit.ts';
import type { SessionService } from './session-service.ts';
import { createSessionService } from './session-service.ts';
import type { SignedUrls } from './signed-urls.ts';
import { createSignedUrls } from './signed-urls.ts';
import type { HttpAppOptions } from '../types.ts';

/** Authentication, sessions and signed URLs. */
export type Auth = { authentication: Authentication; sessions: SessionService; signedUrls: SignedUrls };

export function createAuth({ security, storage, clock, ids }: HttpAppOptions): Auth {
  const limit = createFailureLimit(clock);
  const authentication = createAuthentication({ tokens: security.tokens, storage, clock, limit });
  return {
    authentication,
    sessions: createSessionService({ authentication, storage, clock, ids }),
    signedUrls: createSignedUrls(security.urlKeys, clock),
  };
}
