import type { Clock, Fetch } from '@toolyard/protocol';
import { throwIfAborted } from './abort.ts';
import { LOCAL_SERVERS } from './local-servers-data.ts';
import type { ModelInfo } from './types.ts';

/** Options of {@link findLocalServers}. */
export type FindLocalServersOptions = {
  fetch: Fetch;
  clock: Clock;
  /** Timeout in milliseconds for each port, default 400. */
  timeoutMs?: number;
  /** Default: the default ports of the known servers. */
  ports?: readonly number[];
  signal?: AbortSignal;
};

/**
 * A detected model server. `label` is a guess from its port and its model list. `isLoading`: it lists no model until its
 * model is loaded.
 */
export type LocalServer = { label: string; baseUrl: string; models: ModelInfo[]; isLoading?: true };

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
