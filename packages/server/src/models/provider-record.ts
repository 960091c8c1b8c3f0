import type { createProviderRuntime, ModelInfo } from '@toolyard/model-runtime';
import type { ProviderView, WireName } from '@toolyard/protocol';
import { isLoopback } from '../config/server-options.ts';
import type { KnownProvider } from './provider-presets.ts';

/** A provider with a base URL. */
export type ConfiguredProvider = {
  id: string;
  label: string;
  origin: Exclude<ProviderView['origin'], 'built-in'>;
  baseUrl: string;
  wire: WireName;
  /** For providers of environment and file; keys of stored providers are in the secrets. */
  apiKey?: string;
  /** Its preset; applies if the provider uses the same API format. */
  known?: KnownProvider;
  /** Its models, if configured. */
  modelNames?: readonly string[];
  /** Its models with the facts that a detection has read. */
  models?: readonly ModelInfo[];
  /** The environment variables it comes from. */
  variables?: readonly string[];
  /** Sources of overridden providers with the same id. */
  overrides?: readonly ('file' | 'settings')[];
};

/** Options for the runtime of a provider. */
export function toRuntimeOptions(
  record: Pick<ConfiguredProvider, 'baseUrl' | 'wire' | 'known' | 'modelNames'>,
): Parameters<typeof createProviderRuntime>[0] {
  const { baseUrl, wire, known, modelNames = [] } = record;
  const named = modelNames.length === 0 ? {} : { models: { named: modelNames } };
  return { ...(known?.wire === wire ? known : { wire }), baseUrl, ...named };
}

/** True if a key for one URL may be sent to the other: scheme, host and port are equal. */
export function isSameOrigin(one: string, other: string): boolean {
  return new URL(one).origin === new URL(other).origin;
}

/** True for two URLs of one server, treating all names of this machine as equal. */
export function isSameServer(one: string, other: string): boolean {
  const plain = (address: string): string => {
    const { protocol, hostname, port } = new URL(address);
    return `${protocol}//${isLoopback(hostname) ? 'localhost' : hostname}:${port}`;
  };
  return plain(one) === plain(other);
}

/** Derives an id from a label; appends a number if it is `taken`. */
export function providerIdFrom(text: string, taken: ReadonlySet<string>): string {
  const plain = text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, '')
    .slice(0, 48);
  const base = plain === '' ? 'provider' : plain;
  let id = base;
  for (let n = 2; taken.has(id); n++) id = `${base}-${n}`;
  return id;
}
