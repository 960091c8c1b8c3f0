import { extractWWWAuthenticateParams } from '@modelcontextprotocol/client';
import { defined } from '@toolyard/protocol';

/** What a server says with a 401 or 403 about how to sign in. All of it is the server's own claim. */
export type Challenge = {
  resourceMetadataUrl?: string;
  scope?: string;
  error?: string;
  /** It wants tokens that are bound to a key of ours (RFC 9449). */
  wantsProof: boolean;
};

/** Scopes longer than this are no scopes. */
const LONGEST_SCOPE = 2_000;

export function readChallenge(response: Response): Challenge {
  const { resourceMetadataUrl, scope, error } = extractWWWAuthenticateParams(response);
  const wantsProof = /(^|,)\s*dpop\b/i.test(response.headers.get('www-authenticate') ?? '');
  return {
    wantsProof,
    ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl: resourceMetadataUrl.href }),
    ...(scope === undefined || scope.length > LONGEST_SCOPE ? {} : { scope }),
    ...defined({ error }),
  };
}
