import type { IncomingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Dispatcher } from 'undici';
import { refusalBehind } from './refusal-behind.ts';
import { toRefusalError } from './refusals.ts';
import type { WebSocketGuard } from './websocket.ts';
import { checkHandshake } from './websocket.ts';

/** A connection after the upgrade to WebSocket; nothing was read from it. */
export type Upgraded = { socket: Duplex; headers: IncomingHttpHeaders };

/**
 * Requests an upgrade to WebSocket and returns the raw connection, with the checks of its guard. The headers are those
 * of the handshake, including key and version. Follows no redirects. Rejects with a ToolyardError if the guard refuses
 * the URL, with any other error if the server does not upgrade.
 */
export type GuardedUpgrade = (
  url: string | URL,
  options: { headers: Record<string, string>; signal?: AbortSignal },
) => Promise<Upgraded>;

export function createUpgrade(guard: WebSocketGuard): GuardedUpgrade {
  return async (address, { headers, signal }) => {
    const { url, dispatcher: agent } = checkHandshake(guard, address);
    try {
      const { origin, pathname, search } = url;
      const stop = signal === undefined ? {} : { signal };
      const options = { origin, path: `${pathname}${search}`, protocol: 'websocket', headers, ...stop };
      // The type definitions omit that an agent needs the origin.
      const dispatcher: Dispatcher = agent;
      const { socket, headers: answered }: Dispatcher.UpgradeData = await dispatcher.upgrade(options);
      return { socket, headers: answered };
    } catch (thrown) {
      const behind = refusalBehind(thrown, url);
      throw behind === null ? thrown : toRefusalError(behind);
    }
  };
}
