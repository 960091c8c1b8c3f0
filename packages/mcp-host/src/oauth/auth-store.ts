import type { JsonObject } from '@toolyard/protocol';

/** What is kept under a key; every write gives it another version, and no version comes twice. */
export type AuthRow = { value: JsonObject; version: string };

/**
 * Where sign-ins are kept: tokens, registrations, and what a sign-in under way needs to be finished. The owner keeps
 * the rows, encrypted, and shared by all processes that use the same servers. A row is only changed by whoever has
 * seen its last version, so that nobody clears what another process has just written.
 */
export type AuthStore = {
  get(key: string): Promise<AuthRow | undefined>;
  /**
   * Writes if the row still has this version; null: if there is none. After `expiresAt` (milliseconds since 1970)
   * nobody needs it.
   *
   * @returns the new version, or null where somebody else was faster
   */
  put(key: string, value: JsonObject, expected: string | null, expiresAt?: number): Promise<string | null>;
  /** @returns false where it no longer has this version */
  remove(key: string, expected: string): Promise<boolean>;
};

/** Keeps sign-ins for as long as the process lives. */
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
