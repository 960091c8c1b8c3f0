import { extractWWWAuthenticateParams } from '@modelcontextprotocol/client';
import { defined } from '@toolyard/protocol';

/** The `WWW-Authenticate` parameters of a 401 or 403. Untrusted. */
export type Challenge = {
  resourceMetadataUrl?: string;
  scope?: string;
  error?: string;
  /** The server requires tokens bound to a key of the client (RFC 9449). */
  wantsProof: boolean;
};

/** Longer scopes are ignored. */
const MAX_SCOPE_LENGTH = 2_000;

export function readChallenge(response: Response): Challenge {
  const { resourceMetadataUrl, scope, error } = extractWWWAuthenticateParams(response);
  const wantsProof = /(^|,)\s*dpop\b/i.test(response.headers.get('www-authenticate') ?? '');
  return {
    wantsProof,
    ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl: resourceMetadataUrl.href }),
    ...(scope === undefined || scope.length > MAX_SCOPE_LENGTH ? {} : { scope }),
    ...defined({ error }),
  };
}
