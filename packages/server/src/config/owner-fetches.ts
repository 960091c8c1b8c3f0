import type { GuardedFetch } from '@toolyard/guarded-fetch';
import { createGuardedFetch, trustOrigins } from '@toolyard/guarded-fetch';

/**
 * A fetch for each URL that the owner entered or that the loopback scan found. Each trusts only its own origin, so that
 * a redirect from one of the owner's servers cannot reach another one.
 */
export type OwnerFetches = {
  /** @throws ToolyardError `bad_config` if it is not an HTTP URL */
  for(address: string): GuardedFetch;
  /** Closes all connections. */
  close(): Promise<void>;
};

export function createOwnerFetches(): OwnerFetches {
  const fetches = new Map<string, GuardedFetch>();
  return {
    for(address) {
      const trust = trustOrigins([address]);
      const { origin } = new URL(address);
      const known = fetches.get(origin);
      if (known !== undefined) return known;
      const made = createGuardedFetch({ trust });
      fetches.set(origin, made);
      return made;
    },
    async close() {
      const all = [...fetches.values()];
      fetches.clear();
      await Promise.all(all.map((one) => one.close()));
    },
  };
}
