import { defined, ToolyardError } from '@toolyard/protocol';
import type { SignInContext } from './sign-in.ts';
import type { StoredTokens } from './stored-tokens.ts';
import { requestToken, TokenRefused } from './token-request.ts';

/**
 * Gives tokens back (RFC 7009), where the sign-in server has a place for that. They are forgotten here already: what
 * goes wrong stands in the account, and is otherwise nobody's trouble.
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
    // An answer without a token is what a revocation is answered with.
    if (!(thrown instanceof TokenRefused) && !ToolyardError.isInstance(thrown)) throw thrown;
  }
}
