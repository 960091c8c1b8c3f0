import { readUrl } from '@toolyard/protocol';
import type { IncomingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Dispatcher } from 'undici';
import { refusalBehind } from './refusal-behind.ts';
import { toError } from './refusals.ts';
import type { WebSocketGuard } from './websocket.ts';

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

/** Trust and checks apply to the http URL of the handshake: `ws:` counts as `http:`. */
export function createUpgrade({ trust, judge, open, guarded }: WebSocketGuard): GuardedUpgrade {
  return async (address, { headers, signal }) => {
    const url = readUrl(String(address).replace(/^ws(s?):/i, 'http$1:'));
    if (url === null) throw toError({ kind: 'unreadable' });
    const trusted = trust(url);
    const refusal = judge(url, trusted);
    if (refusal !== null) throw toError(refusal);
    try {
      const { origin, pathname, search } = url;
      const stop = signal === undefined ? {} : { signal };
      const options = { origin, path: `${pathname}${search}`, protocol: 'websocket', headers, ...stop };
      // The type definitions omit that an agent needs the origin.
      const dispatcher: Dispatcher = trusted ? open : guarded;
      const { socket, headers: answered }: Dispatcher.UpgradeData = await dispatcher.upgrade(options);
      return { socket, headers: answered };
    } catch (thrown) {
      const behind = refusalBehind(thrown, url);
      throw behind === null ? thrown : toError(behind);
    }
  };
}
