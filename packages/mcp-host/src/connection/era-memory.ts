import { canonicalJson } from '@toolyard/protocol';
import { shortHash } from '../values/hash.ts';
import { hostedIdentity } from '../hosted/hosted-config.ts';
import type { Era, TransportConfig } from '../types.ts';

/** Which generation of MCP a server configuration spoke, and when that was found out. */
export type EraRecord = {
  era: Era;
  /** Milliseconds since 1970. */
  at: number;
  protocolVersion?: string;
  /** Set for an `http` address that only knows the older HTTP+SSE. */
  transport?: 'sse';
};

/**
 * Where eras are remembered between connections; an owner may keep them on disk. A memory that throws is treated as
 * one that remembers nothing.
 */
export type EraMemory = {
  get(key: string): EraRecord | undefined | Promise<EraRecord | undefined>;
  set(key: string, record: EraRecord): void | Promise<void>;
  delete(key: string): void | Promise<void>;
};

/** Remembers for as long as the process lives. */
export function createEraMemory(): EraMemory {
  const records = new Map<string, EraRecord>();
  return {
    get: (key) => records.get(key),
    set: (key, record) => void records.set(key, record),
    delete: (key) => void records.delete(key),
  };
}

/**
 * One key for one way of reaching a server. Values of headers and of the environment are left out: they are secrets
 * and do not decide the era.
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
    case 'in-memory':
      return `in-memory-${shortHash(config.name)}`;
  }
}

/**
 * A server that learns the modern protocol goes on answering the old handshake, so a `legacy` verdict never proves
 * itself wrong: it is only believed for this long.
 */
const LEGACY_BELIEVED_MS = 7 * 24 * 60 * 60 * 1000;

/** What is remembered and still to be believed at `now`. */
export async function loadEra(memory: EraMemory, key: string, now: number): Promise<EraRecord | undefined> {
  try {
    const record = await memory.get(key);
    if (record === undefined) return undefined;
    if (record.era === 'legacy' && now - record.at > LEGACY_BELIEVED_MS) return undefined;
    return record;
  } catch {
    return undefined;
  }
}

/** Remembers or, with `undefined`, forgets. Failing to do so costs a probe next time and nothing else. */
export async function saveEra(memory: EraMemory, key: string, record: EraRecord | undefined): Promise<void> {
  try {
    await (record === undefined ? memory.delete(key) : memory.set(key, record));
  } catch {
    // Nothing depends on it.
  }
}
