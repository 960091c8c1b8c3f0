import type { JsonObject } from '@toolyard/protocol';

/** A stored value; every write gives its key another version, and no version repeats. */
export type AuthRow = { value: JsonObject; version: string };

/**
 * Stores sign-ins: tokens, client registrations and pending sign-ins. The owner keeps the rows, encrypted and shared by
 * all processes that use the same servers. A row changes only if its last version is given, so that no process
 * overwrites what another one has just written.
 */
export type AuthStore = {
  get(key: string): Promise<AuthRow | undefined>;
  /**
   * Writes if the row still has this version; null: if it does not exist. After `expiresAt` (milliseconds since 1970)
   * it may be deleted.
   *
   * @returns the new version, or null if another process was faster
   */
  put(key: string, value: JsonObject, expected: string | null, expiresAt?: number): Promise<string | null>;
  /** @returns false if it no longer has this version */
  remove(key: string, expected: string): Promise<boolean>;
};

/**
 * Keeps sign-ins until the process exits.
 *
 * @example
 * const signIn = { store: createMemoryAuthStore(), fetchFor: () => guardedFetch };
 * const host = new McpHost({ servers, createTransport, clock, clientInfo, signIn });
 */
export function createMemoryAuthStore(): AuthStore {
  const rows = new Map<string, AuthRow>();
  let writes = 0;
  return {
    get: async (key) => rows.get(key),
    async put(key, value, expected) {
      if ((rows.get(key)?.version ?? null) !== expected) return null;
      const version = String(++writes);
      rows.set(key, { value: structuredClone(value), version });
      return version;
    },
    async remove(key, expected) {
      return rows.get(key)?.version === expected && rows.delete(key);
    },
  };
}
