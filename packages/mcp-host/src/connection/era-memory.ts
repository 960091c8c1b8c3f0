import { canonicalJson } from '@toolyard/protocol';
import { shortHash } from '../values/hash.ts';
import { hostedIdentity } from '../hosted/hosted-config.ts';
import { pluginIdentity } from '../config/plugin-config.ts';
import type { Era, TransportConfig } from '../types.ts';

/** The era a server configuration used, and when that was detected. */
export type EraRecord = {
  era: Era;
  /** Milliseconds since 1970. */
  at: number;
  protocolVersion?: string;
  /** The version to offer, for a legacy server that rejects newer ones instead of answering with its own. */
  offer?: string;
  /** Set for an `http` URL that only supports the older HTTP+SSE. */
  transport?: 'sse';
};

/** Stores eras between connections; its owner may keep them on disk. One that throws is treated as empty. */
export type EraMemory = {
  get(key: string): EraRecord | undefined | Promise<EraRecord | undefined>;
  set(key: string, record: EraRecord): void | Promise<void>;
  delete(key: string): void | Promise<void>;
};

/**
 * Keeps eras until the process exits.
 *
 * @example
 * const host = new McpHost({ servers, createTransport, clock, clientInfo, eraMemory: createEraMemory() });
 */
export function createEraMemory(): EraMemory {
  const records = new Map<string, EraRecord>();
  return {
    get: (key) => records.get(key),
    set: (key, record) => void records.set(key, record),
    delete: (key) => void records.delete(key),
  };
}

/**
 * A key per way of reaching a server. Values of headers and environment variables are left out: they are secrets and do
 * not determine the era.
 */
export function eraKey(config: TransportConfig): string {
  switch (config.type) {
    case 'stdio':
      return `stdio-${shortHash(
        canonicalJson({
          command: config.command,
          args: config.args ?? [],
          cwd: config.cwd ?? null,
          env: Object.keys(config.env ?? {}).sort(),
        }),
      )}`;
    case 'http':
    case 'sse':
    case 'websocket': {
      const headers = Object.keys(config.headers ?? {}).sort();
      return `${config.type}-${shortHash(canonicalJson({ url: config.url, headers }))}`;
    }
    case 'hosted':
      return `hosted-${shortHash(canonicalJson(hostedIdentity(config)))}`;
    case 'plugin':
      return `plugin-${shortHash(canonicalJson(pluginIdentity(config)))}`;
    case 'in-memory':
      return `in-memory-${shortHash(config.name)}`;
  }
}

/**
 * A server that adds modern MCP still accepts `initialize`, so a stored `legacy` never fails. It expires after this
 * time instead.
 */
const LEGACY_LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;

/** The stored era, unless it has expired at `now`. */
export async function loadEra(memory: EraMemory, key: string, now: number): Promise<EraRecord | undefined> {
  try {
    const record = await memory.get(key);
    if (record === undefined) return undefined;
    if (record.era === 'legacy' && now - record.at > LEGACY_LIFETIME_MS) return undefined;
    return record;
  } catch {
    return undefined;
  }
}

/** Stores the era, or deletes it if undefined. A failure only costs a probe next time. */
export async function saveEra(memory: EraMemory, key: string, record: EraRecord | undefined): Promise<void> {
  try {
    await (record === undefined ? memory.delete(key) : memory.set(key, record));
  } catch {
    // Nothing depends on it.
  }
}
