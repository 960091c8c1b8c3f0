import type { IncomingMessage } from 'node:http';
import { VERSION } from '@toolyard/protocol';

/** Ours, and that of llama-server: a header for the server behind the proxy begins with one of them. */
const PREFIXES = ['x-toolyard-proxy-header-', 'x-llama-server-proxy-header-'];

/** They belong to one connection (RFC 9110, 7.6.1), or to how a body is sent on it. */
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

/** Passed on without a prefix too, for clients that are no page: they say what is asked, not who asks. */
const PLAIN = /^(accept|content-type|last-event-id|mcp-.+)$/;

/** True where a header says for whom a request is meant: no page but a script of ours sends such. */
export function hasProxyHeader({ headers }: IncomingMessage): boolean {
  return Object.keys(headers).some((name) => PREFIXES.some((prefix) => name.startsWith(prefix)));
}

/** What the other server is sent: what was meant for it, and nothing that is meant for us. */
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

/** Headers somebody named for another server, without those that are not theirs to name. */
export function forwardableHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const theirs = Object.entries(headers)
    .map(([name, value]): [string, string] => [name.toLowerCase(), value])
    .filter(([name]) => name !== '' && !HOP_BY_HOP.has(name) && !name.startsWith('sec-websocket-'));
  return { 'user-agent': `Toolyard/${VERSION}`, ...Object.fromEntries(theirs), 'accept-encoding': 'identity' };
}

/**
 * What would act on this page, its cookies or this address if it came from us. A server behind the proxy is answered
 * for here, not let in.
 */
const KEPT_BACK =
  /^(access-control-.*|alt-svc|clear-site-data|content-disposition|content-encoding|content-security-policy.*|cross-origin-.*|link|location|nel|origin-agent-cluster|permissions-policy|refresh|report-to|reporting-endpoints|service-worker-allowed|server|set-cookie2?|sourcemap|speculation-rules|strict-transport-security|supports-loading-mode|x-sourcemap|x-toolyard-.*|x-dns-prefetch-control)$/;

/** A browser asks for a password by itself where it sees one of these. */
const ASKS_A_PASSWORD = /\b(basic|digest|negotiate|ntlm)\b/i;

/** Runs, or draws, where it is opened. */
const ACTIVE = /(html|xml|script|css|svg|wasm|multipart|pdf|font)/i;

/** What is told of an answer. */
export function responseHeaders(given: Headers): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of given) {
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
