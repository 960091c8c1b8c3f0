import { throwIfAborted } from './abort.ts';
import { LOCAL_SERVERS } from './local-servers-data.ts';
import type { FindLocalServersOptions, LocalServer } from './probe.ts';

export type { FindLocalServersOptions, LocalServer };

/**
 * Requests the model list from the default loopback ports, in parallel. Throws only AbortError.
 *
 * @example
 * for (const { label, baseUrl, models } of await findLocalServers({ fetch, clock: systemClock })) {
 *   console.log(label, baseUrl, models.length);
 * }
 */
export async function findLocalServers(options: FindLocalServersOptions): Promise<LocalServer[]> {
  throwIfAborted(options.signal);
  // Loaded here, because most programs know their model server.
  const { probe } = await import('./probe.ts');
  const ports = new Set(options.ports ?? LOCAL_SERVERS.map((record) => record.port));
  const found = await Promise.all([...ports].map((port) => probe(port, options)));
  return found.filter((server) => server !== null);
}
