import type { ProviderView } from '@toolyard/protocol';
import { isLoopback } from '../config/server-options.ts';

/** A provider that is reached by an address. */
export type ProviderRecord = {
  id: string;
  label: string;
  origin: Exclude<ProviderView['origin'], 'built-in'>;
  baseUrl: string;
  /** Of environment and file; the keys of stored providers are among the secrets. */
  apiKey?: string;
};

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
