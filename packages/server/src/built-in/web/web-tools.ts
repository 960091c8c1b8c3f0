import type { Fetch, Owner } from '@toolyard/protocol';
import { say } from '@toolyard/protocol';
import type { FunctionToolGroup } from '@toolyard/agent-host';
import type { GuardedFetch } from '@toolyard/guarded-fetch';
import { createGuardedFetch, trustOrigins } from '@toolyard/guarded-fetch';
import { createWebFetch } from './web-fetch.ts';
import { createWebSearch } from './web-search.ts';
import type { WebSettings } from './web-settings.ts';
import { engineUrl } from './web-settings.ts';

/** The tools that reach the web. Off by default, and open-world: calls need approval. */
export function createWebTools(settings: WebSettings, owner: Owner): FunctionToolGroup & { close(): Promise<void> } {
  const fetches = new Map<string, GuardedFetch>();

  /** A fetch that reaches the public internet, and of private addresses only these origins. */
  function fetchFor(origins: readonly string[]): Fetch {
    const key = JSON.stringify(origins);
    const known = fetches.get(key);
    if (known) return known;
    const made = createGuardedFetch({ trust: origins.length === 0 ? () => false : trustOrigins(origins) });
    fetches.set(key, made);
    return made;
  }

  const webSearch = createWebSearch(async () => {
    const { search } = await settings.get(owner);
    const url = search && engineUrl(search);
    if (search === null || url === null) return null;
    const origin = new URL(url.replaceAll(/[{}]/g, '')).origin;
    return { engine: search.engine, url, key: await settings.key(owner), fetch: fetchFor([origin]) };
  });
  const webFetch = createWebFetch(async () => fetchFor((await settings.get(owner)).privateOrigins));
  return {
    id: 'web',
    title: say`Web`.text,
    enabled: false,
    tools: [webSearch, webFetch],
    async close() {
      await Promise.all([...fetches.values()].map((each) => each.close()));
    },
  };
}
