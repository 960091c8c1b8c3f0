import type { Fetch } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import { Agent, fetch as innerFetch, type RequestInit as InnerInit, type Response as InnerResponse } from 'undici';
import { isRefusedAddress, type RefusalReason } from './address.ts';
import { readUrl } from './hosts.ts';
import { createLookup, resolveWithSystem, type Resolve } from './lookup.ts';
import { refusalBehind } from './refusal-behind.ts';
import { toError, type FetchRefusal } from './refusals.ts';
import { firstHop, nextHop, redirectOf, type Hop } from './request.ts';
import { toPlatformResponse } from './response.ts';
import { createOpenWebSocket, type OpenGuardedWebSocket } from './websocket.ts';
import { checkUrlForm, checkUntrustedUrl } from './target.ts';
import { createUpgrade, type GuardedUpgrade } from './upgrade.ts';

export type GuardedFetchOptions = {
  /**
   * True for addresses the owner typed or the loopback scan found: these may lead anywhere. Make one guard for each
   * purpose and trust in it what belongs to that purpose: a page a model asks for must not profit from the address
   * of a model server. See {@link trustOrigins}.
   */
  trust: (url: URL) => boolean;
  /** Default: the machine's resolver. */
  resolve?: Resolve;
  /** Default 5. */
  maxRedirects?: number;
  /** Addresses that are not trusted must be `https:`; default false. */
  httpsOnly?: boolean;
  /** Which addresses are refused to anybody but the owner; default {@link isRefusedAddress}. */
  refuse?: (ip: string) => RefusalReason | null;
  /** Which addresses are gone to at all, on every hop, whoever chose them; default any. */
  allow?: (url: URL) => boolean;
  /** How long a server that is not trusted may keep silent, in milliseconds; 0 for ever, default five minutes. */
  quietMs?: number;
};

/** A fetch with connections of its own. */
export type GuardedFetch = Fetch & {
  /** Opens a WebSocket where this fetch might go; throws the same ToolyardError where it might not. */
  openWebSocket: OpenGuardedWebSocket;
  /** The bare connection of a WebSocket, for who passes it on; goes where this fetch might go. */
  upgrade: GuardedUpgrade;
  /** Ends all its connections; answers still being read are cut off. */
  close(): Promise<void>;
};

const FIVE_MINUTES_MS = 5 * 60_000;

/**
 * Makes a fetch that goes where the owner said, and for anybody else only to the public internet.
 *
 * An address that is not trusted must be http or https, and every address its name resolves to must be public; the
 * connection is made to just these addresses, while TLS and the Host header keep the name. Redirects are followed
 * one by one: trust lasts as long as every address of the chain is trusted, after that each one is judged as chosen
 * by somebody else. Environment variables for proxies are not heeded.
 *
 * What comes back is the platform's Response, its body streaming. A request the guard does not make rejects with a
 * ToolyardError (`address_refused` for an address it refuses, `network` for redirects that lead nowhere); a failed
 * connection and an abort reject as with any fetch.
 *
 * @example
 * const fetch = createGuardedFetch({ trust: trustOrigins(['http://127.0.0.1:11434/v1']) });
 */
export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const { trust, resolve = resolveWithSystem, refuse = isRefusedAddress } = options;
  const { maxRedirects = 5, httpsOnly = false, allow = () => true, quietMs = FIVE_MINUTES_MS } = options;
  // Two sets of connections, so that one made without judging is never used where judging is due.
  const guarded = new Agent({
    connect: { lookup: createLookup(resolve, refuse) },
    headersTimeout: quietMs,
    bodyTimeout: quietMs,
  });
  // A local model may think for an hour before its first word: who waits for the owner's servers sets the limit.
  const open = new Agent({ connect: { lookup: createLookup(resolve, () => null) }, headersTimeout: 0, bodyTimeout: 0 });

  /** What can be said of an address before it is connected to. */
  function judge(url: URL, trusted: boolean): FetchRefusal | null {
    const refusal = checkUrlForm(url) ?? (allow(url) ? null : ({ kind: 'not_allowed', url } as const));
    return refusal ?? (trusted ? null : checkUntrustedUrl(url, { httpsOnly, refuse }));
  }

  const guardedFetch: Fetch = async (input, init = {}) => {
    const first = readUrl(input);
    if (first === null) throw toError({ kind: 'unreadable' });
    let hop = await firstHop(first, init);
    let previous: URL | undefined;
    let trusted = true;
    const seen = new Set<string>();

    for (let redirects = 0; ; redirects += 1) {
      trusted = trusted && trust(hop.url);
      const refusal = judge(hop.url, trusted);
      if (refusal !== null) throw toError(refusal, previous);
      seen.add(`${hop.method} ${hop.url.href}`);

      const response = await send(hop, init, trusted ? open : guarded, previous);
      const target = redirectOf(response, hop.url);
      if (target === null || init.redirect === 'manual') return toPlatformResponse(response, hop.url, redirects > 0);

      // Nobody will read it, and its connection should not wait for that.
      await response.body?.cancel().catch(() => {});
      if (init.redirect === 'error') throw toError({ kind: 'redirect_unwanted', url: hop.url });
      if (target === 'unreadable') throw toError({ kind: 'unreadable' }, hop.url);
      if (redirects >= maxRedirects) throw toError({ kind: 'too_many_redirects', url: hop.url, limit: maxRedirects });
      const next = nextHop(hop, response.status, target);
      if ('kind' in next) throw toError(next, hop.url);
      if (seen.has(`${next.method} ${next.url.href}`)) throw toError({ kind: 'redirect_loop', url: next.url });
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
  // Field by field: a dispatcher among the caller's options would go round the guard.
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
    throw refusal === null ? thrown : toError(refusal, from);
  }
}
