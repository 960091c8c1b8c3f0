import type { IncomingMessage } from 'node:http';
import { VERSION } from '@toolyard/protocol';

/** Prefixes of headers for the server behind the proxy: Toolyard's and that of llama-server. */
const PREFIXES = ['x-toolyard-proxy-header-', 'x-llama-server-proxy-header-'];

/** Headers of one connection (RFC 9110, 7.6.1), or of the transfer of its body. */
const HOP_BY_HOP = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Forwarded without a prefix too, for clients other than the page: they describe the request, not the user. */
const PLAIN = /^(accept|content-type|last-event-id|mcp-.+)$/;

/** True if the request has a header for the other server: only scripts of the page can send one. */
export function hasProxyHeader({ headers }: IncomingMessage): boolean {
  return Object.keys(headers).some((name) => PREFIXES.some((prefix) => name.startsWith(prefix)));
}

/** The headers for the other server, without any that are for Toolyard. */
export function requestHeaders(incoming: IncomingMessage): Record<string, string> {
  const plain: Record<string, string> = {};
  const prefixed: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers)) {
    const text = Array.isArray(value) ? value.join(', ') : value;
    if (text === undefined) continue;
    const prefix = PREFIXES.find((each) => name.startsWith(each));
    if (prefix !== undefined) prefixed[name.slice(prefix.length)] = text;
    else if (PLAIN.test(name)) plain[name] = text;
  }
  return forwardableHeaders({ ...plain, ...prefixed });
}

/** Headers that a client set for another server, without those it may not set. */
export function forwardableHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const theirs = Object.entries(headers)
    .map(([name, value]): [string, string] => [name.toLowerCase(), value])
    .filter(([name]) => name !== '' && !HOP_BY_HOP.has(name) && !name.startsWith('sec-websocket-'));
  return { 'user-agent': `Toolyard/${VERSION}`, ...Object.fromEntries(theirs), 'accept-encoding': 'identity' };
}

/** Response headers that would affect this page, its cookies or its origin. */
const KEPT_BACK =
  /^(access-control-.*|alt-svc|clear-site-data|content-disposition|content-encoding|content-security-policy.*|cross-origin-.*|link|location|nel|origin-agent-cluster|permissions-policy|refresh|report-to|reporting-endpoints|service-worker-allowed|server|set-cookie2?|sourcemap|speculation-rules|strict-transport-security|supports-loading-mode|x-sourcemap|x-toolyard-.*|x-dns-prefetch-control)$/;

/** Schemes for which a browser itself asks for a password. */
const ASKS_A_PASSWORD = /\b(basic|digest|negotiate|ntlm)\b/i;

/** Content types that a browser executes or renders. */
const ACTIVE = /(html|xml|script|css|svg|wasm|multipart|pdf|font)/i;

/** The response headers to forward. */
export function responseHeaders(upstreamHeaders: Headers): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of upstreamHeaders) {
    if (HOP_BY_HOP.has(name) || KEPT_BACK.test(name)) continue;
    if (name === 'www-authenticate' && ASKS_A_PASSWORD.test(value)) continue;
    headers[name] = value;
  }
  const type = headers['content-type'] ?? '';
  return {
    ...headers,
    'cache-control': 'no-store',
    'content-security-policy': "sandbox; default-src 'none'",
    'content-type': type === '' || ACTIVE.test(type) ? 'application/octet-stream' : type,
    'x-accel-buffering': 'no',
  };
}
