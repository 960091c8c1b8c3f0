import { readUrl } from '@toolyard/protocol';
import { WebSocket as InnerWebSocket, type Agent } from 'undici';
import { toRefusalError, type FetchRefusal } from './refusals.ts';

/** A WebSocket with the checks of its guard. The handshake follows no redirects. */
export type OpenGuardedWebSocket = (
  url: string | URL,
  options?: { protocols?: string[]; headers?: Record<string, string> },
) => InnerWebSocket;

export type WebSocketGuard = {
  trust: (url: URL) => boolean;
  /** Checks that need no name resolution. */
  judge: (url: URL, trusted: boolean) => FetchRefusal | null;
  open: Agent;
  guarded: Agent;
};

/**
 * The http URL of a handshake, to which trust and checks apply, and the agent for it: `ws:` counts as `http:`. Throws what
 * the guard refuses.
 */
export function checkHandshake(
  { trust, judge, open, guarded }: WebSocketGuard,
  address: string | URL,
): { url: URL; dispatcher: Agent } {
  const url = readUrl(String(address).replace(/^ws(s?):/i, 'http$1:'));
  if (url === null) throw toRefusalError({ kind: 'unreadable' });
  const trusted = trust(url);
  const refusal = judge(url, trusted);
  if (refusal !== null) throw toRefusalError(refusal);
  return { url, dispatcher: trusted ? open : guarded };
}

export function createOpenWebSocket(guard: WebSocketGuard): OpenGuardedWebSocket {
  return (address, { protocols = [], headers = {} } = {}) => {
    const { url, dispatcher } = checkHandshake(guard, address);
    const target = url.href.replace(/^http/, 'ws');
    return new InnerWebSocket(target, { protocols, headers, dispatcher });
  };
}
