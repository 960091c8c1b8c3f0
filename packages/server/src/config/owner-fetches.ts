import type { GuardedFetch } from '@toolyard/guarded-fetch';
import { createGuardedFetch, trustOrigins } from '@toolyard/guarded-fetch';

/**
 * A fetch for each address the owner typed, or the loopback scan found. Each trusts the origin it was made for and no
 * other: that one server of the owner's redirects to another one is nobody's wish.
 */
export type OwnerFetches = {
  /** @throws ToolyardError `bad_config` for what is no web address */
  for(address: string): GuardedFetch;
  /** Ends all connections. */
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
