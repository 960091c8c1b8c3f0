import type { AuthRow, AuthStore } from '@toolyard/mcp-host';
import type { JsonObject, JsonValue } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';
import { browserValue } from '../browser-storage.ts';
import { uuid } from '../transcript/uuid.ts';

const LOCK = 'toolyard:mcp-sign-ins';

const areas = {
  session: rowsIn('session'),
  local: rowsIn('local'),
};

function rowsIn(area: 'session' | 'local') {
  const read = (value: JsonValue): JsonObject | undefined => (isJsonObject(value) ? value : undefined);
  return browserValue<JsonObject>('mcp-sign-ins', { version: 1, read, fallback: {}, area });
}

/**
 * Sign-ins to servers of this browser: stored for the session of the tab or, if `isKept` is true for the server, in
 * local storage for all tabs. When the result of `isKept` changes, the row is moved.
 */
export function createBrowserSignInStore(isKept: (serverId: string) => boolean): AuthStore {
  function getStores(key: string) {
    const isPersistent = isKept(key.slice(key.indexOf('/') + 1));
    return isPersistent
      ? { current: areas.local, previous: areas.session }
      : { current: areas.session, previous: areas.local };
  }

  function read(key: string): AuthRow | undefined {
    const { current, previous } = getStores(key);
    const { [key]: moved, ...others } = previous.get();
    const own = current.get()[key];
    if (moved !== undefined) {
      if (own === undefined) current.set({ ...current.get(), [key]: moved });
      previous.set(others);
    }
    return readRow(own ?? moved);
  }

  function write(key: string, row: AuthRow | undefined): void {
    const { current } = getStores(key);
    const { [key]: _, ...others } = current.get();
    current.set(row === undefined ? others : { ...others, [key]: row });
  }

  return {
    get: async (key) => read(key),
    put: (key, value, expected) =>
      alone(() => {
        if ((read(key)?.version ?? null) !== expected) return null;
        const version = uuid();
        write(key, { value, version });
        return version;
      }),
    remove: (key, expected) =>
      alone(() => {
        if (read(key)?.version !== expected) return false;
        write(key, undefined);
        return true;
      }),
  };
}

/** Serializes tabs with the Web Locks API, which browsers have in every context that allows sign-ins. */
async function alone<T>(change: () => T): Promise<T> {
  return navigator.locks === undefined ? change() : navigator.locks.request(LOCK, change);
}

function readRow(row: JsonValue | undefined): AuthRow | undefined {
  if (!isJsonObject(row)) return undefined;
  const { value, version } = row;
  return isJsonObject(value) && typeof version === 'string' ? { value, version } : undefined;
}
