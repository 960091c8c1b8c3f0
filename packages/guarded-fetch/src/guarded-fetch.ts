import type { Fetch } from '@toolyard/protocol';
import { defined, readUrl } from '@toolyard/protocol';
import { Agent, fetch as innerFetch, type RequestInit as InnerInit, type Response as InnerResponse } from 'undici';
import { isRefusedAddress, type RefusalReason } from './address.ts';
import { createLookup, resolveWithSystem, type Resolve } from './lookup.ts';
import { refusalBehind } from './refusal-behind.ts';
import { toRefusalError, type FetchRefusal } from './refusals.ts';
import { firstHop, nextHop, findRedirect, type Hop } from './request.ts';
import { toPlatformResponse } from './response.ts';
import { createOpenWebSocket, type OpenGuardedWebSocket } from './websocket.ts';
import { checkUrlForm, checkUntrustedUrl } from './target.ts';
import { createUpgrade, type GuardedUpgrade } from './upgrade.ts';

export type GuardedFetchOptions = {
  /**
   * True for URLs that the operator configured or that were detected on loopback: these may lead anywhere. Create one
   * guard per purpose and trust in it only what that purpose needs: a page that a model requests must not profit from
   * the trust in a model server. See {@link trustOrigins}.
   */
  trust: (url: URL) => boolean;
  /** Default: the system resolver. */
  resolve?: Resolve;
  /** URLs that are not trusted must be `https:`; default false. */
  httpsOnly?: boolean;
  /** Decides which addresses are refused for untrusted URLs; default {@link isRefusedAddress}. */
  refuse?: (ip: string) => RefusalReason | null;
  /** Limits all URLs, trusted or not, on every hop; default: no limit. */
  allow?: (url: URL) => boolean;
  /** How long an untrusted server may send nothing, in milliseconds; 0: no limit; default five minutes. */
  quietMs?: number;
};

/** A fetch with its own connection pools. */
export type GuardedFetch = Fetch & {
  /** Opens a WebSocket to a URL that this fetch accepts; throws the same ToolyardError for any other. */
  openWebSocket: OpenGuardedWebSocket;
  /** The raw connection of a WebSocket, for proxies; accepts the same URLs as this fetch. */
  upgrade: GuardedUpgrade;
  /** Closes all connections; responses that are still being read are cut off. */
  close(): Promise<void>;
};

const FIVE_MINUTES_MS = 5 * 60_000;
const MAX_REDIRECTS = 5;

/**
 * Creates a fetch that reaches trusted URLs anywhere, and all others only on the public internet.
 *
 * An untrusted URL must be http or https, and every address of its host must be public; the connection is made to
 * exactly these addresses, while TLS and the Host header keep the name. Redirects are followed one by one: trust lasts
 * while every URL of the chain is trusted; after that each is treated as untrusted. Proxy environment variables are
 * ignored.
 *
 * Returns the platform's Response with a streaming body. Rejects with a ToolyardError for requests that the guard does
 * not make (`address_refused` for a refused URL, `network` for redirects that fail); a failed connection and an abort
 * reject as with any fetch.
 *
 * @example
 * const fetch = createGuardedFetch({ trust: trustOrigins(['http://127.0.0.1:11434/v1']) });
 */
export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const { trust, resolve = resolveWithSystem, refuse = isRefusedAddress } = options;
  const { httpsOnly = false, allow = () => true, quietMs = FIVE_MINUTES_MS } = options;
  // Separate pools, so that a connection made without a check is never reused for an untrusted URL.
  const guarded = new Agent({
    connect: { lookup: createLookup(resolve, refuse) },
    headersTimeout: quietMs,
    bodyTimeout: quietMs,
  });
  // A local model may take an hour to its first token; callers of trusted servers set their own timeouts.
  const open = new Agent({ connect: { lookup: createLookup(resolve, () => null) }, headersTimeout: 0, bodyTimeout: 0 });

  /** Checks that need no name resolution. */
  function judge(url: URL, trusted: boolean): FetchRefusal | null {
    const refusal = checkUrlForm(url) ?? (allow(url) ? null : ({ kind: 'not_allowed', url } as const));
    return refusal ?? (trusted ? null : checkUntrustedUrl(url, { httpsOnly, refuse }));
  }

  const guardedFetch: Fetch = async (input, init = {}) => {
    const first = readUrl(input);
    if (first === null) throw toRefusalError({ kind: 'unreadable' });
    let hop = await firstHop(first, init);
    let previous: URL | undefined;
    let trusted = true;
    const seen = new Set<string>();

    for (let redirects = 0; ; redirects += 1) {
      trusted = trusted && trust(hop.url);
      const refusal = judge(hop.url, trusted);
      if (refusal !== null) throw toRefusalError(refusal, previous);
      seen.add(`${hop.method} ${hop.url.href}`);

      const response = await send(hop, init, trusted ? open : guarded, previous);
      const target = findRedirect(response, hop.url);
      if (target === null || init.redirect === 'manual') return toPlatformResponse(response, hop.url, redirects > 0);

      // Nothing will read it, and its connection should not stay open for it.
      await response.body?.cancel().catch(() => {});
      if (init.redirect === 'error') throw toRefusalError({ kind: 'redirect_unwanted', url: hop.url });
      if (target === 'unreadable') throw toRefusalError({ kind: 'unreadable' }, hop.url);
      if (redirects >= MAX_REDIRECTS)
        throw toRefusalError({ kind: 'too_many_redirects', url: hop.url, limit: MAX_REDIRECTS });
      const next = nextHop(hop, response.status, target);
      if ('kind' in next) throw toRefusalError(next, hop.url);
      if (seen.has(`${next.method} ${next.url.href}`)) throw toRefusalError({ kind: 'redirect_loop', url: next.url });
      previous = hop.url;
      hop = next;
    }
  };

  return Object.assign(guardedFetch, {
    openWebSocket: createOpenWebSocket({ trust, judge, open, guarded }),
    upgrade: createUpgrade({ trust, judge, open, guarded }),
    async close() {
      await Promise.all([guarded.destroy(), open.destroy()]);
    },
  });
}

async function send(hop: Hop, init: RequestInit, dispatcher: Agent, from: URL | undefined): Promise<InnerResponse> {
  // Copies single fields: a `dispatcher` among the caller's options would bypass the guard.
  const request: InnerInit = {
    method: hop.method,
    headers: [...hop.headers],
    redirect: 'manual',
    dispatcher,
    ...(init.signal == null ? {} : { signal: init.signal }),
    ...defined({ integrity: init.integrity }),
    ...(hop.body.kind === 'replayable' ? { body: hop.body.value } : {}),
    ...(hop.body.kind === 'stream' ? { body: hop.body.value, duplex: 'half' } : {}),
  };
  try {
    return await innerFetch(hop.url.href, request);
  } catch (thrown) {
    const refusal = refusalBehind(thrown, hop.url);
    throw refusal === null ? thrown : toRefusalError(refusal, from);
  }
}
