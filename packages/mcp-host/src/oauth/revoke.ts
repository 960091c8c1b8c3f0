import { defined, ToolyardError } from '@toolyard/protocol';
import type { SignInContext } from './sign-in.ts';
import type { StoredTokens } from './stored-tokens.ts';
import { requestToken, TokenRefused } from './token-request.ts';

/**
 * Revokes tokens (RFC 7009) if the authorization server supports it. They are deleted here already, so a failure is
 * only logged.
 */
export async function revokeTokens({ hops, privateKey }: SignInContext, tokens: StoredTokens): Promise<void> {
  const { revocationEndpoint, refreshToken, accessToken, client, authMethods } = tokens;
  if (revocationEndpoint === undefined) return;
  hops.begin();
  try {
    await requestToken({
      endpoint: revocationEndpoint,
      client,
      authMethods,
      ...defined({ privateKey }),
      params: {
        token: refreshToken ?? accessToken,
        token_type_hint: refreshToken === undefined ? 'access_token' : 'refresh_token',
      },
      hops,
      step: 'revocation',
    });
  } catch (thrown) {
    // A successful revocation has no token in its response.
    if (!(thrown instanceof TokenRefused) && !ToolyardError.isInstance(thrown)) throw thrown;
  }
}
