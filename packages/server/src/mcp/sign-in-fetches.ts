import type { GuardedFetch } from '@toolyard/guarded-fetch';
import { createGuardedFetch, trustNeighbours, trustOrigins } from '@toolyard/guarded-fetch';
import type { ServerConfig } from '@toolyard/mcp-host';
import type { Fetch } from '@toolyard/protocol';

/** A fetch for the sign-in of each server. */
export type SignInFetches = {
  for(server: ServerConfig): Fetch;
  /** Ends all connections. */
  close(): Promise<void>;
};

/**
 * What metadata names is an address somebody else chose: it must be public and https. Trusted is what the owner has
 * typed, which is the server itself and the sign-in servers of its configuration, and for a server on this machine what
 * else is on it.
 */
export function createSignInFetches(): SignInFetches {
  const made: GuardedFetch[] = [];
  return {
    for({ transport, oauth }) {
      const address = 'url' in transport ? transport.url : '';
      const { issuer, grant } = oauth ?? {};
      const typed = [address, issuer, grant?.type === 'enterprise' ? grant.tokenEndpoint : undefined];
      const isTyped = trustOrigins(typed.filter((one) => one !== undefined && URL.canParse(one)) as string[]);
      const isNear = trustNeighbours(address);
      const fetch = createGuardedFetch({ trust: (url) => isTyped(url) || isNear(url), httpsOnly: true });
      made.push(fetch);
      return fetch;
    },
    async close() {
      await Promise.all(made.splice(0).map((one) => one.close()));
    },
  };
}
