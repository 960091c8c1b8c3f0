import { networkInterfaces } from 'node:os';
import { isLoopback } from '../../config/server-options.ts';

const ANY_ADDRESS = new Set(['0.0.0.0', '::', '[::]']);

/** Base URLs at which other devices of the network reach a server that listens on `host`; none for loopback. */
export function reachableOrigins(
  host: string,
  port: number,
  interfaces: () => ReturnType<typeof networkInterfaces> = networkInterfaces,
): string[] {
  if (isLoopback(host)) return [];
  if (!ANY_ADDRESS.has(host)) return [`http://${host}:${port}`];
  const addresses = Object.values(interfaces()).flatMap((each) => each ?? []);
  return addresses.flatMap(({ family, internal, address }) =>
    family === 'IPv4' && !internal ? [`http://${address}:${port}`] : [],
  );
}
