import type { JsonValue } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';
import { browserValue } from '../browser-storage.ts';
import type { BrowserServerSettings } from './server-entries.ts';
import { parseServerSettings, serverSettingsToKeep } from './server-entries.ts';

/** The local storage key of the servers of this browser. */
const storedValue = browserValue<JsonValue[]>('mcp-servers', {
  version: 1,
  read: (value) => (Array.isArray(value) ? value : undefined),
  fallback: [],
});

/** Header values by server and name, for the session of this tab. */
const session = browserValue<Record<string, JsonValue>>('mcp-secrets', {
  version: 1,
  read: (value) => (isJsonObject(value) ? value : undefined),
  fallback: {},
  area: 'session',
});

/** Storage of MCP servers in this browser. */
export const storedServers = {
  read: (): BrowserServerSettings => parseServerSettings(storedValue.get()),
  write: (settings: BrowserServerSettings): void => storedValue.set(serverSettingsToKeep(settings)),
  /** Notifies of writes by other tabs. */
  watch: (listener: (settings: BrowserServerSettings) => void): (() => void) =>
    storedValue.watch((value) => listener(parseServerSettings(value))),

  getSecrets(id: string): Record<string, string> {
    const values = session.get()[id];
    if (!isJsonObject(values)) return {};
    return Object.fromEntries(
      Object.entries(values).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
    );
  },
  /** An empty record deletes them. */
  setSecrets(id: string, values: Readonly<Record<string, string>>): void {
    const others = Object.entries(session.get()).filter(([other]) => other !== id);
    session.set(Object.fromEntries(Object.keys(values).length === 0 ? others : [...others, [id, { ...values }]]));
  },
};

export type StoredServers = typeof storedServers;
