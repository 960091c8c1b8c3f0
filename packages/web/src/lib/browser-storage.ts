import type { JsonValue } from '@toolyard/protocol';
import { defined, parseJson } from '@toolyard/protocol';

/**
 * Everything the page stores in the browser goes through this module. A value is stored under
 * `toolyard:<name>:<version>`; a value of an older version is migrated once and its key removed. An unreadable value
 * counts as absent. If the browser stores nothing (private mode, quota), the user loses a setting, but the page works.
 */
export type BrowserValueOptions<T> = {
  version: number;
  /** Returns the value if it is valid, else undefined. */
  read: (value: JsonValue) => T | undefined;
  fallback: T;
  /** Migrations by source version: each returns the value of the next version, or undefined to discard it. */
  migrations?: Readonly<Record<number, (old: JsonValue) => JsonValue | undefined>>;
  /** `session`: this tab only, deleted with it. */
  area?: 'local' | 'session';
};

export type BrowserValue<T> = {
  get(): T;
  /** Not stored itself, so that a user who chose nothing follows later defaults. */
  set(value: T): void;
  /** Notifies of changes made by other tabs. */
  watch(listener: (value: T) => void): () => void;
};

/** One value stored in this browser. */
export function browserValue<T extends JsonValue>(name: string, options: BrowserValueOptions<T>): BrowserValue<T> {
  const area = () => openArea(options.area ?? 'local');
  const key = getKey(name, options.version);
  return {
    get: () => readUpToDate(area(), name, options) ?? options.fallback,
    set: (value) => write(area(), key, JSON.stringify(value) === JSON.stringify(options.fallback) ? null : value),
    watch: (listener) => {
      const onStorage = (event: StorageEvent) => {
        if (event.key !== key) return;
        listener(readText(event.newValue, options.read) ?? options.fallback);
      };
      addEventListener('storage', onStorage);
      return () => removeEventListener('storage', onStorage);
    },
  };
}

/** A choice of yes or no, stored in this browser. */
export function browserFlag(name: string, fallback: boolean): BrowserValue<boolean> {
  const read = (value: JsonValue): boolean | undefined => (typeof value === 'boolean' ? value : undefined);
  return browserValue<boolean>(name, { version: 1, read, fallback });
}

export type BrowserValueFamily<T> = {
  get(id: string): T;
  set(id: string, value: T): void;
};

/** One value per id, such as a draft per conversation. Only the newest `keep` are stored. */
export function browserValueFamily<T extends JsonValue>(
  name: string,
  options: BrowserValueOptions<T> & { keep: number },
): BrowserValueFamily<T> {
  const members = browserValue<Record<string, JsonValue>>(name, {
    version: options.version,
    read: (value) => (typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined),
    fallback: {},
    ...defined({ migrations: options.migrations, area: options.area }),
  });
  return {
    get: (id) => {
      const value = members.get()[id];
      return (value === undefined ? undefined : options.read(value)) ?? options.fallback;
    },
    set: (id, value) => {
      const others = Object.entries(members.get()).filter(([other]) => other !== id);
      const isFallback = JSON.stringify(value) === JSON.stringify(options.fallback);
      const all: [string, JsonValue][] = isFallback ? others : [...others, [id, value]];
      members.set(Object.fromEntries(all.slice(-options.keep)));
    },
  };
}

function readUpToDate<T>(area: Storage | null, name: string, options: BrowserValueOptions<T>): T | undefined {
  const current = readText(area?.getItem(getKey(name, options.version)) ?? null, options.read);
  if (current !== undefined || area === null) return current;
  for (let version = options.version - 1; version > 0; version -= 1) {
    const text = area.getItem(getKey(name, version));
    if (text === null) continue;
    area.removeItem(getKey(name, version));
    const value = migrate(text, version, options);
    if (value === undefined) return undefined;
    write(area, getKey(name, options.version), value);
    return options.read(value);
  }
  return undefined;
}

function migrate<T>(text: string, from: number, options: BrowserValueOptions<T>): JsonValue | undefined {
  const parsed = parseJson(text);
  let value = parsed.ok ? parsed.value : undefined;
  for (let version = from; version < options.version && value !== undefined; version += 1) {
    value = options.migrations?.[version]?.(value);
  }
  return value;
}

function readText<T>(text: string | null, read: (value: JsonValue) => T | undefined): T | undefined {
  if (text === null) return undefined;
  const parsed = parseJson(text);
  return parsed.ok ? read(parsed.value) : undefined;
}

function write(area: Storage | null, key: string, value: JsonValue | null): void {
  try {
    if (value === null) area?.removeItem(key);
    else area?.setItem(key, JSON.stringify(value));
  } catch {
    // Quota exceeded; the page continues without storing the value.
  }
}

function openArea(area: 'local' | 'session'): Storage | null {
  try {
    return area === 'local' ? localStorage : sessionStorage;
  } catch {
    return null;
  }
}

function getKey(name: string, version: number): string {
  return `toolyard:${name}:${String(version)}`;
}
