import { WebSocket as InnerWebSocket, type Agent } from 'undici';
import type { RefusalReason } from './address.ts';
import { readUrl } from './hosts.ts';
import { toError } from './refusals.ts';
import { judgeForm, judgeUntrusted } from './target.ts';

/** A WebSocket by the rules of the guard it belongs to. Its handshake follows no redirects. */
export type OpenGuardedWebSocket = (
  url: string | URL,
  options?: { protocols?: string[]; headers?: Record<string, string> },
) => InnerWebSocket;

export type WebSocketGuard = {
  trust: (url: URL) => boolean;
  httpsOnly: boolean;
  refuse: (ip: string) => RefusalReason | null;
  open: Agent;
  guarded: Agent;
};

/** Trust and judgement are those of the http address a handshake begins at: `ws:` counts as `http:`. */
export function createOpenWebSocket({ trust, httpsOnly, refuse, open, guarded }: WebSocketGuard): OpenGuardedWebSocket {
  return (address, { protocols = [], headers = {} } = {}) => {
    const url = readUrl(String(address).replace(/^ws(s?):/i, 'http$1:'));
    if (url === null) throw toError({ kind: 'unreadable' });
    const trusted = trust(url);
    const refusal = judgeForm(url) ?? (trusted ? null : judgeUntrusted(url, { httpsOnly, refuse }));
    if (refusal !== null) throw toError(refusal);
    const target = url.href.replace(/^http/, 'ws');
    return new InnerWebSocket(target, { protocols, headers, dispatcher: trusted ? open : guarded });
  };
}
