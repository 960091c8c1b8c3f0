import { ToolyardError, type Fetch } from '@toolyard/protocol';
import type { SigningContext } from '../wire/dialect.ts';
import { readCredentials, requestToken, type AccessToken } from './access-token.ts';

/** Tokens are renewed this long before they end, in milliseconds. */
const RENEW_BEFORE_MS = 60_000;

/**
 * Adds a Google Cloud access token to each request. The key of the provider is the JSON of a service account or of
 * application default credentials, from which tokens are made, or a token itself.
 */
export function authorizedFetch({ apiKey, fetch, clock, addSecret }: SigningContext): Fetch {
  if (apiKey === undefined) return fetch;
  const credentials = readCredentials(apiKey);
  if (credentials === null) return (input, init) => fetch(input, withToken(init, apiKey));

  let current: AccessToken | null = null;
  let renewing: Promise<AccessToken> | null = null;
  /** One request for all callers that need a new token instead of `old`. */
  const renew = (old: AccessToken | null): Promise<AccessToken> => {
    if (current !== null && current !== old) return Promise.resolve(current);
    renewing ??= requestToken(credentials, { fetch, clock })
      .then((made) => {
        addSecret(made.value);
        current = made;
        return made;
      })
      .finally(() => {
        renewing = null;
      });
    return renewing;
  };
  const token = async (): Promise<AccessToken> =>
    current !== null && current.expiresAt - clock.now() > RENEW_BEFORE_MS ? current : renew(current);

  return async (input, init) => {
    const first = await token();
    const response = await fetch(input, withToken(init, first.value));
    // A token can be revoked before it ends.
    if (response.status !== 401) return response;
    response.body?.cancel().catch(() => undefined);
    return fetch(input, withToken(init, (await renew(first)).value));
  };
}

function withToken(init: RequestInit | undefined, token: string): RequestInit {
  const headers = new Headers(init?.headers);
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new ToolyardError({
      code: 'bad_config',
      message: 'The key is neither the JSON of a service account nor an access token.',
      hint: 'Enter the content of the JSON key file of a Google Cloud service account.',
    });
  }
  headers.set('authorization', `Bearer ${token}`);
  return { ...init, headers };
}
