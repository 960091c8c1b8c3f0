import type { createProviderRuntime } from '@toolyard/model-runtime';
import type { ProviderView, WireName } from '@toolyard/protocol';
import { isLoopback } from '../config/server-options.ts';
import type { KnownProvider } from './provider-presets.ts';

/** A provider that is reached by an address. */
export type ConfiguredProvider = {
  id: string;
  label: string;
  origin: Exclude<ProviderView['origin'], 'built-in'>;
  baseUrl: string;
  wire: WireName;
  /** Of environment and file; the keys of stored providers are among the secrets. */
  apiKey?: string;
  /** What is known of it by name; counts where it is spoken with over the same wire. */
  known?: KnownProvider;
  /** Its models, where somebody named them. */
  modelNames?: readonly string[];
  /** The variables of the environment it comes from. */
  variables?: readonly string[];
  /** Where one of the same id stands, too, and does not count. */
  overrides?: readonly ('file' | 'settings')[];
};

/** How a provider is to be talked with. */
export function runtimeFacts(
  record: Pick<ConfiguredProvider, 'baseUrl' | 'wire' | 'known' | 'modelNames'>,
): Parameters<typeof createProviderRuntime>[0] {
  const { baseUrl, wire, known, modelNames = [] } = record;
  const named = modelNames.length === 0 ? {} : { models: { named: modelNames } };
  return { ...(known?.wire === wire ? known : { wire }), baseUrl, ...named };
}

/** True where a key for one address may be sent to the other: scheme, host and port are the same. */
export function isSameOrigin(one: string, other: string): boolean {
  return new URL(one).origin === new URL(other).origin;
}

/** True for two addresses of one server, whichever way this machine itself is called. */
export function isSameServer(one: string, other: string): boolean {
  const plain = (address: string): string => {
    const { protocol, hostname, port } = new URL(address);
    return `${protocol}//${isLoopback(hostname) ? 'localhost' : hostname}:${port}`;
  };
  return plain(one) === plain(other);
}

/** Makes an id of what a person calls it; `taken` ones get a number. */
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
