import type { Clock, Owner, SetWebTools, WebToolsView } from '@toolyard/protocol';
import { storedWebTools } from '@toolyard/protocol/schemas';
import type { SettingsRepository } from '@toolyard/storage';
import { createInvalidError } from '../../errors.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import { ENGINES } from './search-engines.ts';

const SETTINGS_KEY = 'tools.web';
const SECRET = 'tools.web.key';

/** What the user configured for the tools that reach the web. The key of the search engine is a secret. */
export type WebSettings = {
  get(principal: Owner): Promise<WebToolsView>;
  set(principal: Owner, change: SetWebTools): Promise<WebToolsView>;
  key(principal: Owner): Promise<string | null>;
};

export function createWebSettings(of: {
  settings: Pick<SettingsRepository, 'get' | 'set'>;
  secrets: Pick<Secrets, 'get' | 'set' | 'remove' | 'names'>;
  clock: Clock;
}): WebSettings {
  const { settings, secrets, clock } = of;

  async function get(principal: Owner): Promise<WebToolsView> {
    const read = storedWebTools.safeParse(await settings.get(principal, SETTINGS_KEY));
    const { search, privateOrigins } = read.success ? read.data : { search: null, privateOrigins: [] };
    const hasKey = (await secrets.names(principal, SECRET)).includes(SECRET);
    return { search: search && { ...search, hasKey }, privateOrigins };
  }

  return {
    get,
    async set(principal, { search, privateOrigins }) {
      const before = await get(principal);
      if (search !== null && search.url === undefined && ENGINES[search.engine].url === undefined) {
        throw createInvalidError(`The engine "${search.engine}" needs a URL.`);
      }
      if (search?.engine === 'custom' && search.url?.includes('{query}') !== true) {
        throw createInvalidError('The URL must contain {query}.');
      }
      const { key, ...engine } = search ?? {};
      const isSame = getOrigin(search) === getOrigin(before.search);
      if (key !== undefined && key !== '') await secrets.set(principal, SECRET, key);
      // A key is sent to the engine that it was entered for, and to no other.
      else if (key === '' || !isSame) await secrets.remove(principal, SECRET);
      const stored = { search: search === null ? null : engine, privateOrigins };
      await settings.set(principal, SETTINGS_KEY, storedWebTools.parse(stored), clock.now());
      return get(principal);
    },
    key: (principal) => secrets.get(principal, SECRET),
  };
}

/** The URL of the engine; null without one. */
export function engineUrl(search: NonNullable<WebToolsView['search']>): string | null {
  return search.url ?? ENGINES[search.engine].url ?? null;
}

function getOrigin(search: SetWebTools['search']): string {
  if (search === null) return '';
  const url = search.url ?? ENGINES[search.engine].url ?? '';
  return `${search.engine} ${URL.canParse(url) ? new URL(url).origin : ''}`;
}
