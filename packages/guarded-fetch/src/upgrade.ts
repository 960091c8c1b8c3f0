import type { IncomingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Dispatcher } from 'undici';
import { readUrl } from './hosts.ts';
import { refusalBehind } from './refusal-behind.ts';
import { toError } from './refusals.ts';
import type { WebSocketGuard } from './websocket.ts';

/** A connection that has become a WebSocket; nothing of it was read. */
export type Upgraded = { socket: Duplex; headers: IncomingHttpHeaders };

/**
 * Asks an address to become a WebSocket and gives the bare connection, by the rules of the guard it belongs to. The
 * headers are those of the handshake, key and version among them. Follows no redirects. Rejects with a ToolyardError
 * for what the guard refuses, with any other error where the server does not agree.
 */
export type GuardedUpgrade = (
  url: string | URL,
  options: { headers: Record<string, string>; signal?: AbortSignal },
) => Promise<Upgraded>;

/** Trust and judgement are those of the http address a handshake begins at: `ws:` counts as `http:`. */
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
      // The types leave out that an agent must be told the origin.
      const dispatcher: Dispatcher = trusted ? open : guarded;
      const { socket, headers: answered }: Dispatcher.UpgradeData = await dispatcher.upgrade(options);
      return { socket, headers: answered };
    } catch (thrown) {
      const behind = refusalBehind(thrown, url);
      throw behind === null ? thrown : toError(behind);
    }
  };
}
