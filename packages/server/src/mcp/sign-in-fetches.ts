import type { GuardedFetch } from '@toolyard/guarded-fetch';
import { createGuardedFetch, trustSameHost, trustOrigins } from '@toolyard/guarded-fetch';
import type { ServerConfig } from '@toolyard/mcp-host';
import type { Fetch } from '@toolyard/protocol';

/** A fetch for the sign-in of each server. */
export type SignInFetches = {
  for(server: ServerConfig): Fetch;
  /** Closes all connections. */
  close(): Promise<void>;
};

/**
 * URLs in metadata come from third parties: they must be public and https. Trusted are only the URLs that the owner
 * entered (the server and the authorization servers of its configuration), and for a server on this machine, other
 * local ports.
 */
export function createSignInFetches(): SignInFetches {
  const made = new Map<string, GuardedFetch>();
  return {
    for({ transport, oauth }) {
      const address = 'url' in transport ? transport.url : '';
      const { issuer, grant } = oauth ?? {};
      const provider = grant?.type === 'enterprise' ? [grant.tokenEndpoint] : [];
      const typed = [address, ...(issuer === undefined ? [] : [issuer]), ...provider].filter(isWebAddress);
      const key = JSON.stringify(typed);
      return (input, init) => {
        const known = made.get(key) ?? makeFetch(address, typed);
        made.set(key, known);
        return known(input, init);
      };
    },
    async close() {
      const all = [...made.values()];
      made.clear();
      await Promise.all(all.map((one) => one.close()));
    },
  };
}

function makeFetch(address: string, typed: readonly string[]): GuardedFetch {
  const isTyped = trustOrigins(typed);
  const isNear = trustSameHost(address);
  return createGuardedFetch({ trust: (url) => isTyped(url) || isNear(url), httpsOnly: true });
}

function isWebAddress(address: string): boolean {
  return /^https?:/i.test(address) && URL.canParse(address);
}
